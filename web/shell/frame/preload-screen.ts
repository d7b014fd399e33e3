import { once } from '#web/lib/browser/once.ts'
import type { Route } from '#web/lib/routing/route-match.ts'

/** Sidebar, data layer and Radix: only for signed-in users. */
export const loadShell = once(() => import('./app-shell.tsx'))

/**
 * Loads the code of a screen, and the shell around it, before they are rendered. Resolves also if that fails: it fails again on
 * render, which handles it.
 */
export async function preloadScreen({ layout, load }: Pick<Route, 'layout' | 'load'>): Promise<void> {
  await Promise.allSettled([layout === 'shell' ? loadShell() : null, load?.()])
}
