import type { Route } from '#web/lib/routing/route-match.ts'

/** Sidebar, data layer and Radix: only for signed-in users. */
export const loadShell = () => import('./app-shell.tsx')

/**
 * Loads the code of a screen, and the shell around it, before they are rendered. A failure here fails again on render, which
 * handles it.
 */
export function preloadScreen({ layout, load }: Pick<Route, 'layout' | 'load'>): void {
  if (layout === 'shell') loadShell().catch(() => undefined)
  load?.().catch(() => undefined)
}
