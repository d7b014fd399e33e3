import { once } from '#web/lib/browser/once.ts'
import type { Route } from '#web/lib/routing/route-match.ts'

/** Sidebar and data layer: only for signed-in users. */
export const loadShell = once(() => import('./app-shell.tsx'))

/**
 * Loads the code of a screen, and the shell around it, before they are rendered. Resolves also if that fails, or takes longer than
 * three seconds: rendering handles both.
 */
export async function preloadScreen({ layout, load }: Pick<Route, 'layout' | 'load'>): Promise<void> {
  await Promise.race([
    Promise.allSettled([layout === 'shell' ? loadShell() : null, load?.()]),
    new Promise((resolve) => void setTimeout(resolve, 3000)),
  ])
}
