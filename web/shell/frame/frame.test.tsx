import { act, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import '#tests/web/timeouts.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { MemoryRouter } from 'react-router'
import type { Route } from '#web/lib/routing/route-match.ts'
import { SessionProvider, signedOut, type Session, type SessionSource } from '#web/lib/session/session.tsx'
import { RedirectReason } from '#web/features/public/redirect-reason.tsx'
import { Frame } from './frame.tsx'

afterEach(() => {
  document.cookie = 'user_id=; max-age=0'
  vi.unstubAllGlobals()
})

const route = (path: string, text: string): Route => ({
  path,
  title: text,
  layout: 'public',
  page: () => (
    <main>
      <RedirectReason />
      {text}
    </main>
  ),
})
const routes = [route('/login', 'Login'), route('/invitation', 'Invitation'), route('/verify-email', 'Verify Email')]
const notFound = () => <main>404</main>

/** Renders the app at a path; the session stays pending until the returned function resolves it. */
function setup(path: string): (session: Session) => Promise<void> {
  document.cookie = 'user_id=ann'
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<SessionSource['load']>>>()
  const source: SessionSource = {
    delivered: () => null,
    load: () => promise,
    subscription: () => Promise.resolve(null),
    watch: () => () => undefined,
  }
  render(
    <MemoryRouter initialEntries={[path]}>
      <SessionProvider source={source}>
        <Frame routes={routes} notFound={notFound} />
      </SessionProvider>
    </MemoryRouter>,
  )
  return (session) => act(async () => resolve({ session, problems: [] }))
}

test('only a full-screen spinner is shown until user, organization and verification are known', async () => {
  const give = setup('/invitation')
  expect(screen.getByRole('status', { name: 'Loading' })).toBeTruthy()
  for (const role of ['main', 'complementary', 'banner']) expect(screen.queryByRole(role)).toBeNull()
  await give({ ...signedOut, user: 'ann' })
  expect((await screen.findByRole('main')).textContent).toBe('Invitation')
  expect(screen.queryByLabelText('Loading')).toBeNull()
})

test('the page stays if the session fails to refresh; a session that never loaded is reported as unreachable', async () => {
  document.cookie = 'user_id=ann'
  // The check for a newer build fails.
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  const ann = { ...signedOut, user: 'ann' }
  let again: () => void = () => undefined
  const source = (delivered: Session | null): SessionSource => ({
    delivered: () => delivered,
    load: () => Promise.reject(new ApiError('Gone fishing.')),
    subscription: () => Promise.resolve(null),
    watch: (_, onInvalidated) => {
      again = onInvalidated
      return () => undefined
    },
  })
  const show = (delivered: Session | null) =>
    render(
      <MemoryRouter initialEntries={['/invitation']}>
        <SessionProvider source={source(delivered)}>
          <Frame routes={routes} notFound={notFound} />
        </SessionProvider>
      </MemoryRouter>,
    )
  const { unmount } = show(ann)
  await screen.findByRole('main')
  await act(async () => again())
  expect(screen.getByRole('main').textContent).toBe('Invitation')
  unmount()
  show(null)
  expect((await screen.findByRole('alert')).textContent).toBe('Gone fishing.')
})

test('a redirected user sees the reason', async () => {
  const give = setup('/site')
  await give({ ...signedOut, user: 'ann' })
  await waitFor(() =>
    expect(screen.getByRole('main').textContent).toBe('Confirm your email first; then everything opens.Verify Email'),
  )
})
