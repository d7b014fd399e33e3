import { earlyAnswers } from '#web/lib/api/early-reads.ts'
import { awaitFirstScreen } from '#web/lib/routing/first-screen.ts'
import type { Route } from '#web/lib/routing/route-match.ts'
import { laterModule } from '#web/ui/later-module.tsx'

/** Sidebar and data layer: only for signed-in users. */
export const shell = laterModule(() => import('./app-shell.tsx'))

/**
 * Loads the code of a screen, and the shell around it, before they are rendered. Resolves also if that fails, or takes longer than
 * three seconds: rendering handles both.
 */
export async function preloadScreen({ layout, load }: Pick<Route, 'layout' | 'load'>): Promise<void> {
  await withinMs(3000, Promise.allSettled([layout === 'shell' ? shell.load() : null, load?.()]))
}

/** How long the page waits for answers once its code is here (ms): then it draws its own placeholders. */
const answersMs = 500

/**
 * The same for the first screen, which reads before it is drawn. Resolves when rendering can begin: with the shell alone, if there is
 * one, whose page follows with what it read.
 */
export async function preloadFirstScreen(route: Pick<Route, 'layout' | 'load'>, reading: Promise<void>): Promise<void> {
  const code = preloadScreen(route)
  if (route.layout !== 'shell') return code
  awaitFirstScreen(code.then(() => withinMs(answersMs, reading.then(earlyAnswers))))
  await preloadScreen({ layout: route.layout })
}

function withinMs(ms: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, new Promise((resolve) => void setTimeout(resolve, ms))])
}
