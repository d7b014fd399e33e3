import { afterEach, expect, test, vi } from 'vitest'
import { logOut } from '#web/lib/session/log-out.ts'
import { dropDraft, keepDraft, readDraft } from './draft.ts'

vi.mock('#web/lib/api/api.ts', () => ({ call: () => Promise.resolve(null) }))

const signIn = (user: string) => {
  document.cookie = `user_id=${encodeURIComponent(user)}`
}
afterEach(() => {
  document.cookie = 'user_id=; max-age=0'
  sessionStorage.clear()
})

test('a draft is its writer’s: whoever signs in next in the tab does not get it', () => {
  signIn('anna@acme.example')
  keepDraft('site-create', { title: 'Secret launch' })
  signIn('bob@globex.example')
  expect(readDraft('site-create', ['title'])).toBeNull()
  dropDraft('site-create')
  signIn('anna@acme.example')
  expect(readDraft('site-create', ['title'])).toEqual({ title: 'Secret launch' })
  dropDraft('site-create')
  expect(readDraft('site-create', ['title'])).toBeNull()
})

test('logging out leaves no draft in the browser', async () => {
  vi.stubGlobal('location', { ...window.location, assign: vi.fn() })
  signIn('anna@acme.example')
  keepDraft('site-create', { title: 'Secret launch' })
  logOut()
  await vi.waitFor(() => expect(window.location.assign).toHaveBeenCalled())
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('Secret launch')
  vi.unstubAllGlobals()
})
