import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import type { Route } from '#web/lib/routing/route-match.ts'
import { SessionProvider, signedOut, type Session, type SessionSource } from '#web/lib/session/session.tsx'
import { RedirectReason } from '#web/ui/redirect-reason.tsx'
import { Frame } from './frame.tsx'

const page = testRender()
afterEach(() => {
  document.cookie = 'user_id=; max-age=0'
  vi.unstubAllGlobals()
})

const screen = (path: string, text: string): Route => ({
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
const routes = [screen('/login', 'Login'), screen('/invitation', 'Invitation'), screen('/verify-email', 'Verify Email')]
const notFound = () => <main>404</main>

/** Renders the app at a path; the session stays pending until the returned function resolves it. */
async function draw(path: string): Promise<(session: Session) => Promise<void>> {
  document.cookie = 'user_id=ann'
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<SessionSource['load']>>>()
  const source: SessionSource = {
    delivered: () => null,
    load: () => promise,
    subscription: () => Promise.resolve(null),
    watch: () => () => undefined,
  }
  await act(async () =>
    page.root.render(
      <MemoryRouter initialEntries={[path]}>
        <SessionProvider source={source}>
          <Frame routes={routes} notFound={notFound} />
        </SessionProvider>
      </MemoryRouter>,
    ),
  )
  return (session) =>
    act(async () => {
      resolve({ session, problems: [] })
      await vi.dynamicImportSettled()
    })
}

test('a full-screen spinner stands alone until user, organization and verification are known', async () => {
  const give = await draw('/invitation')
  expect(page.place.querySelector('output')?.getAttribute('aria-label')).toBe('Loading')
  expect(page.place.querySelector('main, aside, header')).toBeNull()
  await give({ ...signedOut, user: 'ann' })
  expect(page.place.querySelector('main')?.textContent).toBe('Invitation')
  expect(page.place.querySelector('[aria-label=Loading]')).toBeNull()
})

test('a session that cannot be read again stays; one that nothing is known of is said to be out of reach', async () => {
  document.cookie = 'user_id=ann'
  // The check for a newer build fails.
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  const ann = { ...signedOut, user: 'ann' }
  let again: () => void = () => undefined
  const source = (delivered: Session | null): SessionSource => ({
    delivered: () => delivered,
    load: () => Promise.reject(new ApiError('Gone fishing.')),
    subscription: () => Promise.resolve(null),
    watch: (_, doubted) => {
      again = doubted
      return () => undefined
    },
  })
  const show = (delivered: Session | null) =>
    act(async () => {
      page.root.render(
        <MemoryRouter key={String(delivered?.user)} initialEntries={['/invitation']}>
          <SessionProvider source={source(delivered)}>
            <Frame routes={routes} notFound={notFound} />
          </SessionProvider>
        </MemoryRouter>,
      )
      await vi.dynamicImportSettled()
    })
  await show(ann)
  await act(async () => again())
  expect(page.place.querySelector('main')?.textContent).toBe('Invitation')
  await show(null)
  expect(page.place.querySelector('[role=alert]')?.textContent).toBe('Gone fishing.')
})

test('who is sent elsewhere reads why', async () => {
  const give = await draw('/site')
  await give({ ...signedOut, user: 'ann' })
  await vi.waitFor(() =>
    expect(page.place.querySelector('main')?.textContent).toBe(
      'Confirm your email first; then everything opens.Verify Email',
    ),
  )
})
