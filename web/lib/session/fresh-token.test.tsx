import { render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as z from 'zod/mini'
import { call } from '../api/api.ts'
import { downloadFile } from '../api/download.ts'
import { FrappeProvider, useMethod } from '../api/frappe.tsx'
import { watchSession } from '../api/session-end.ts'

/** The user logged in again in another tab, so this page has the token of the previous session. */

let sent: (string | null)[]
/** Accepts only the token `new`, which its page contains. */
const server = (path: string, init?: RequestInit): Promise<Response> => {
  if (path === '/web/')
    return Promise.resolve(new Response('<script nonce="n">window.csrf_token = "new";window.easydash={}</script>'))
  const token = new Headers(init?.headers).get('X-Frappe-CSRF-Token')
  sent.push(token)
  return Promise.resolve(
    token === 'new'
      ? Response.json({ message: 'done' })
      : Response.json({ exc_type: 'CSRFTokenError' }, { status: 400 }),
  )
}
let stop: () => void
beforeEach(() => {
  sent = []
  window.csrf_token = 'old'
  document.cookie = 'user_id=ada%40acme.example'
  vi.stubGlobal('fetch', server)
  stop = watchSession('ada@acme.example', () => undefined)
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
  delete window.csrf_token
  document.cookie = 'user_id=; max-age=-1'
})

test('a request is retried with the token of the new session', async () => {
  await expect(call('save')).resolves.toBe('done')
  expect(sent).toEqual(['old', 'new'])
})

test('a hook that reads by POST is retried as well', async () => {
  const Reader = () => useMethod('list_invitations', {}, { verb: 'POST', returns: z.string() }).data ?? 'waiting'
  render(
    <FrappeProvider>
      <Reader />
    </FrappeProvider>,
  )
  expect(await screen.findByText('done')).toBeTruthy()
  expect(sent).toEqual(['old', 'new'])
})

test('a download is retried as well', async () => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:it')
  await downloadFile('export', {})
  expect(sent).toEqual(['old', 'new'])
})

test('requests are never sent in another user’s name', async () => {
  document.cookie = 'user_id=bob%40acme.example'
  await expect(call('save')).rejects.toMatchObject({ excType: 'CSRFTokenError' })
  expect(sent).toEqual(['old'])
})

test('a request is not retried again if the new token is rejected as well', async () => {
  window.csrf_token = 'new'
  vi.stubGlobal('fetch', (path: string) =>
    path === '/web/' ? server(path) : Promise.resolve(Response.json({ exc_type: 'CSRFTokenError' }, { status: 400 })),
  )
  await expect(call('save')).rejects.toMatchObject({ excType: 'CSRFTokenError' })
})
