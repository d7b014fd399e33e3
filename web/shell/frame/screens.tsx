import { createContext, useContext, useMemo, type ReactNode } from 'react'
import { gate } from './gates.ts'
import type { Route } from '#web/lib/routing/route-match.ts'
import { useSession, type Session } from '#web/lib/session/session.tsx'

const Screens = createContext<readonly Route[]>([])

/** Provides the screens to menu, search, shortcuts and tours, without those of modules that are off. */
export function ScreensProvider({ routes, children }: { routes: readonly Route[]; children: ReactNode }) {
  const { modules } = useSession()
  const screens = useMemo(() => routes.filter(({ module }) => !module || modules[module]), [routes, modules])
  return <Screens value={screens}>{children}</Screens>
}

/** The screens that something may lead to. */
export function useScreens(): readonly Route[] {
  return useContext(Screens)
}

/** Whether a path is a screen that the user can open; links to others are hidden. */
export function canOpen(screens: readonly Route[], session: Session, path: string): boolean {
  return screens.some((screen) => screen.path === path && gate(session, path, screen) === null)
}
