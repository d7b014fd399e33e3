import { act, render } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { MemoryRouter } from 'react-router'
import { AppRouter, type createAppRouter } from '#web/lib/routing/router.tsx'
import { SessionProvider, signedOut, type Session } from '#web/lib/session/session.tsx'

/** A signed-in owner of the organization `acme`. */
export const owner: Session = {
  ...signedOut,
  user: 'owner@acme.example',
  email: 'owner@acme.example',
  fullName: 'Ann Owner',
  firstName: 'Ann',
  verified: true,
  organization: { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: true },
  organizations: [{ name: 'acme', title: 'Acme', role: 'Organization Admin' }],
}

/** A signed-in member of the organization `acme` with the role `Organization User`. */
export const member: Session = {
  ...owner,
  user: 'member@acme.example',
  email: 'member@acme.example',
  fullName: 'Mia Member',
  firstName: 'Mia',
  organization: { name: 'acme', title: 'Acme', role: 'Organization User', owner: false },
  organizations: [{ name: 'acme', title: 'Acme', role: 'Organization User' }],
}

/** What a test does with a rendered part of the app. */
export interface Rendered {
  readonly user: UserEvent
  /** For what has no role and no text. */
  readonly container: HTMLElement
  /** Renders other elements in place of the piece, which keep their state where they are the same. */
  rerender(piece: ReactNode): void
  unmount(): void
  /** Changes the session of the same user, as after a change of role. */
  changeSession(session: Session): Promise<void>
}

/**
 * Renders part of the app for a session: at a path, or with the app's own router where the history of the browser matters.
 */
export function renderAs(
  session: Session,
  piece: ReactNode,
  at: string | ReturnType<typeof createAppRouter> = '/',
): Rendered {
  document.cookie = `user_id=${encodeURIComponent(session.user ?? 'Guest')}`
  let current = session
  let reload = (): void => undefined
  const source = {
    delivered: () => current,
    load: () => Promise.resolve({ session: current, problems: [] }),
    subscription: () => Promise.resolve(current.subscription),
    watch: (_user: string, onInvalidated: () => void) => {
      reload = onInvalidated
      return () => undefined
    },
  }
  const inApp = (inner: ReactNode): ReactNode => {
    const inSession = <SessionProvider source={source}>{inner}</SessionProvider>
    return typeof at === 'string' ? (
      <MemoryRouter initialEntries={[at]}>{inSession}</MemoryRouter>
    ) : (
      <AppRouter router={at}>{inSession}</AppRouter>
    )
  }
  const { container, rerender, unmount } = render(inApp(piece))
  return {
    user: userEvent.setup(),
    container,
    unmount,
    rerender: (next) => rerender(inApp(next)),
    changeSession: (next) =>
      act(async () => {
        current = next
        reload()
      }),
  }
}
