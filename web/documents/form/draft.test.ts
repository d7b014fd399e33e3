import { afterEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { logOut } from '#web/lib/session/log-out.ts'
import { deleteDraft, saveDraft, readDraft } from './draft.ts'

const api = apiServer()

const signIn = (user: string) => {
  document.cookie = `user_id=${encodeURIComponent(user)}`
}
afterEach(() => {
  document.cookie = 'user_id=; max-age=-1'
  sessionStorage.clear()
})

test('a draft is visible only to its author, not to the next user of the tab', () => {
  signIn('anna@acme.example')
  saveDraft('site-create', { title: 'Secret launch' })
  signIn('bob@globex.example')
  expect(readDraft('site-create', ['title'])).toBeNull()
  deleteDraft('site-create')
  signIn('anna@acme.example')
  expect(readDraft('site-create', ['title'])).toEqual({ title: 'Secret launch' })
  deleteDraft('site-create')
  expect(readDraft('site-create', ['title'])).toBeNull()
})

test('logging out removes all drafts from the browser', async () => {
  api.on('logout', () => ({ message: null }))
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
  signIn('anna@acme.example')
  saveDraft('site-create', { title: 'Secret launch' })
  logOut()
  await expect.poll(() => assign).toHaveBeenCalled()
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('Secret launch')
  assign.mockRestore()
})
