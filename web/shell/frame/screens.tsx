import { createContext, useContext, type ReactNode } from 'react'
import { gate } from './gates.ts'
import type { Route } from '#web/lib/routing/route-match.ts'
import type { Session } from '#web/lib/session/session.tsx'

const Screens = createContext<readonly Route[]>([])

/** Tells menu, search and keys which screens there are. */
export function ScreensProvider({ routes, children }: { routes: readonly Route[]; children: ReactNode }) {
  return <Screens value={routes}>{children}</Screens>
}

/** Every line of the route table. */
export function useScreens(): readonly Route[] {
  return useContext(Screens)
}

/** Whether a path is a screen that this person may open: what is not there is not drawn. */
export function mayOpen(screens: readonly Pick<Route, 'path'>[], session: Session, path: string): boolean {
  return screens.some((screen) => screen.path === path) && gate(session, path) === null
}
