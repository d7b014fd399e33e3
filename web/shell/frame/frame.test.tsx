import { act, render, screen, waitFor } from '@testing-library/react'
import { useLayoutEffect } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { dataClient, refetchAll } from '#web/lib/api/data-client.ts'
import { listKey } from '#web/lib/api/data-keys.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { MemoryRouter, useLocation } from 'react-router'
import type { Route } from '#web/lib/routing/route-match.ts'
import { clearToasts, showToast } from '#web/lib/browser/toasts.ts'
import { PartMissing, SessionProvider, signedOut, type Session, type SessionSource } from '#web/lib/session/session.tsx'
import { RedirectReason } from '#web/features/public/redirect-reason.tsx'
import { Frame } from './frame.tsx'

afterEach(() => {
  document.cookie = 'user_id=; max-age=-1'
  vi.unstubAllGlobals()
  act(clearToasts)
})

const route = (path: string, text: string, access: NonNullable<Route['access']>): Route => ({
  path,
  access,
  title: text,
  layout: 'public',
  page: () => (
    <main>
      <RedirectReason />
      {text}
    </main>
  ),
})
const routes = [
  route('/login', 'Login', 'guests'),
  route('/invitation', 'Invitation', 'anyone'),
  route('/verify-email', 'Verify Email', 'unverified'),
]
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

/** Renders the app with a session that is delivered or not, and loaded as `load` says; returns how to make it load again. */
function setupFailing(path: string, delivered: Session | null, load: SessionSource['load']): () => void {
  document.cookie = 'user_id=ann'
  // The check for a newer build fails.
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  let again: () => void = () => undefined
  const source: SessionSource = {
    delivered: () => delivered,
    load,
    subscription: () => Promise.resolve(null),
    watch: (_, onInvalidated) => {
      again = onInvalidated
      return () => undefined
    },
  }
  render(
    <MemoryRouter initialEntries={[path]}>
      <SessionProvider source={source}>
        <Frame routes={routes} notFound={notFound} />
        <Address />
      </SessionProvider>
    </MemoryRouter>,
  )
  return () => again()
}
/** All addresses so far. */
const visited: string[] = []
function Address() {
  const { pathname, search, hash } = useLocation()
  useLayoutEffect(() => void visited.push(pathname + search + hash), [pathname, search, hash])
  return null
}
const address = () => visited.at(-1)
const ann = { ...signedOut, user: 'ann', verified: true }

test('the page stays if the session fails to refresh', async () => {
  const again = setupFailing('/invitation', ann, () => Promise.reject(new ApiError('Gone fishing.')))
  await screen.findByRole('main')
  await act(async () => again())
  expect(screen.getByRole('main').textContent).toBe('Invitation')
})

test.each([
  ['/site/a?tab=1#top', '/organization/create'],
  ['/', '/organization/create'],
])('a first session that fails counts as logged out until one loads: %s', async (path, after) => {
  vi.useFakeTimers()
  const load = vi.fn<SessionSource['load']>(() => Promise.reject(new ApiError('Gone fishing.')))
  setupFailing(path, null, load)
  await act(() => vi.advanceTimersByTimeAsync(0))
  const next = path === '/' ? '' : `?next=${encodeURIComponent(path)}`
  expect(address()).toBe(`/login${next}`)
  const line = 'The server did not answer. This page tries again by itself and then leads you back.'
  expect(screen.getByRole('main').textContent).toBe(`${line}Login`)
  await act(() => vi.advanceTimersByTimeAsync(5000))
  expect(load).toHaveBeenCalledTimes(2)
  expect(screen.getByRole('main').textContent).toBe(`${line}Login`)

  visited.length = 0
  load.mockResolvedValue({ session: ann, problems: [] })
  await act(() => vi.advanceTimersByTimeAsync(5000))
  vi.useRealTimers()
  // The page is the one that was asked for; its own gates decide what comes then.
  expect(visited[0]).toBe(path)
  await waitFor(() => expect(address()).toBe(after))
})

test('a server that answers "not logged in" in the end asks to log in, on the same page', async () => {
  vi.useFakeTimers()
  const load = vi.fn<SessionSource['load']>(() => Promise.reject(new ApiError('Gone fishing.')))
  setupFailing('/site', null, load)
  await act(() => vi.advanceTimersByTimeAsync(0))
  load.mockResolvedValue({ session: signedOut, problems: [] })
  await act(() => vi.advanceTimersByTimeAsync(5000))
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  vi.useRealTimers()
  expect(load).toHaveBeenCalledTimes(2)
  expect(address()).toBe('/login?next=%2Fsite')
  expect(screen.getByRole('main').textContent).toBe('Log in to open this page.Login')
})

test('a missing part that the gates need is shown with its title, a toast and Retry', async () => {
  const missing = new PartMissing(
    { title: 'Error Fetching User Verification Status', message: 'boom' },
    new ApiError(''),
  )
  setupFailing('/site', null, () => Promise.reject(missing))
  expect((await screen.findByRole('alert')).textContent).toBe('boom')
  expect(screen.getByRole('heading').textContent).toBe(missing.title)
  const toast = await screen.findByRole('listitem')
  expect(toast.textContent).toContain(`${missing.title} boom`)
})

test('pages without the shell tell of ended jobs as well', async () => {
  let ended: object[] = []
  const fields = { reference_doctype: null, reference_name: null, reference_title: null, error_message: null }
  const one = {
    ...fields,
    error_message_i18n: null,
    name: 'j1',
    label: 'Create blog',
    status: 'Done',
    ended: '2026-03-01 10:00:00',
  }
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ message: ended })))
  const organization = { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: true } as const
  const give = setup('/invitation')
  await give({ ...signedOut, user: 'ann', verified: true, organization })
  await waitFor(() =>
    expect(dataClient.getQueryCache().findAll({ queryKey: listKey('Job') })[0]?.state.data).toEqual([]),
  )
  ended = [one]
  await act(() => refetchAll(listKey('Job')))
  expect((await screen.findByRole('listitem')).textContent).toContain('Create blog: done')
})

test('without the second factor that is required, messages are shown there and no job is read', async () => {
  const organization = { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: true } as const
  const give = setup('/invitation')
  await give({ ...signedOut, user: 'ann', verified: true, organization: { ...organization, two_factor_needed: true } })
  dataClient.clear()
  act(() => void showToast({ title: 'Command copied' }))
  expect((await screen.findByRole('listitem')).textContent).toContain('Command copied')
  expect(dataClient.getQueryCache().findAll({ queryKey: listKey('Job') })).toEqual([])
})

test('a redirected user sees the reason', async () => {
  const give = setup('/site')
  await give({ ...signedOut, user: 'ann' })
  await waitFor(() =>
    expect(screen.getByRole('main').textContent).toBe(
      'Your account needs to be confirmed first; then everything opens.Verify Email',
    ),
  )
})

test.each([
  ['/sites?status=Live#top', '/site?status=Live#top'],
  ['/servers', '/server'],
  ['/users/ann', '/user/ann'],
])('%s leads to %s', async (plural, singular) => {
  visited.length = 0
  setupFailing(plural, ann, () => Promise.reject(new ApiError('Gone fishing.')))
  await waitFor(() => expect(visited).toContain(singular))
})
