import type { Route } from '#web/lib/routing/route-match.ts'
import { arrivingSession } from '#web/lib/session/load-session.ts'
import { userFromCookie } from '#web/lib/session/session.tsx'
import { gate } from './gates.ts'

/**
 * Starts what the screen at `path` reads first, unless another one will be shown, and resolves then. If its code fails to load, the
 * screen reads it.
 */
export async function readEarly(route: Route, path: string, search: string): Promise<void> {
  const user = userFromCookie()
  const arrival = user === null ? null : arrivingSession(user)
  if (!route.readEarly || arrival === null || gate(arrival.session, path, route, search) !== null) return
  await route.readEarly().then(
    (start) => start({ ...arrival, search }),
    () => undefined,
  )
}
