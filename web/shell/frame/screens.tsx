import { createContext, useContext, type ReactNode } from 'react'
import { gate } from './gates.ts'
import type { Route } from '#web/lib/routing/route-match.ts'
import type { Session } from '#web/lib/session/session.tsx'

const Screens = createContext<readonly Route[]>([])

/** Provides the available screens to menu, search and shortcuts. */
export function ScreensProvider({ routes, children }: { routes: readonly Route[]; children: ReactNode }) {
  return <Screens value={routes}>{children}</Screens>
}

/** All routes. */
export function useScreens(): readonly Route[] {
  return useContext(Screens)
}

/** Whether a path is a screen that the user can open; links to others are hidden. */
export function canOpen(screens: readonly Pick<Route, 'path'>[], session: Session, path: string): boolean {
  return screens.some((screen) => screen.path === path) && gate(session, path) === null
}
