import { cleanup, render } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { MemoryRouter } from 'react-router'
import { afterEach } from 'vitest'
import { SessionProvider, signedOut, type Session } from '#web/lib/session/session.tsx'

afterEach(cleanup)

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

/** Renders part of the app for a session, at a path; returns user events. */
export function renderAs(session: Session, piece: ReactNode, path = '/'): { user: UserEvent } {
  document.cookie = `user_id=${encodeURIComponent(session.user ?? 'Guest')}`
  const source = {
    delivered: () => session,
    load: () => Promise.resolve({ session, problems: [] }),
    subscription: () => Promise.resolve(null),
    watch: () => () => undefined,
  }
  render(
    <MemoryRouter initialEntries={[path]}>
      <SessionProvider source={source}>{piece}</SessionProvider>
    </MemoryRouter>,
  )
  return { user: userEvent.setup() }
}
