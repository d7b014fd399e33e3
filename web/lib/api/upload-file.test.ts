import { afterEach, expect, test, vi } from 'vitest'
import { unreadableMessage } from './api-error.ts'
import { watchSession } from './session-end.ts'
import { uploadFile } from './upload-file.ts'

afterEach(() => vi.unstubAllGlobals())

const defaultMessage = 'There was an error while uploading the file.'
const respondWith = (response: () => Response | Promise<Response>) => vi.stubGlobal('fetch', async () => response())
const send = () =>
  uploadFile(new File(['a'], 'a.png'), { doctype: 'User', docname: 'ann@acme.example', fieldname: 'user_image' })

test('returns the file’s URL', async () => {
  respondWith(() => Response.json({ message: { name: 'f1', file_url: '/private/files/a.png' } }))
  expect(await send()).toEqual({ name: 'f1', file_url: '/private/files/a.png' })
})

test.each([
  ['a proxy’s page', () => new Response('<html>Bad gateway</html>', { status: 502 }), 502],
  ['an empty refusal', () => Response.json({}, { status: 413 }), 413],
  ['no answer', () => Promise.reject(new TypeError('Failed to fetch')), 0],
] as const)('%s is reported in the client library’s words', async (_what, response, httpStatus) => {
  respondWith(response)
  await expect(send()).rejects.toMatchObject({ message: defaultMessage, httpStatus })
})

test('the server’s message takes precedence', async () => {
  respondWith(() => Response.json({ _error_message: 'Too large', exception: 'X: Too large' }, { status: 417 }))
  await expect(send()).rejects.toMatchObject({ message: 'Too large', httpStatus: 417 })
})

test('a truncated response is never treated as success', async () => {
  respondWith(() => new Response('<html>Log in to the hotel</html>', { status: 200 }))
  await expect(send()).rejects.toMatchObject({ message: unreadableMessage })
})

test('is retried with the session’s new token after a login elsewhere', async () => {
  const sent: (string | null)[] = []
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    if (path === '/web/') return new Response('<script>window.csrf_token = "new";</script>')
    const token = new Headers(init?.headers).get('X-Frappe-CSRF-Token')
    // The same body can be sent again.
    sent.push(`${token} ${init?.body instanceof FormData ? String(init.body.get('docname')) : ''}`)
    return token === 'new'
      ? Response.json({ message: { name: 'f1', file_url: '/private/files/a.png' } })
      : Response.json({ exc_type: 'CSRFTokenError' }, { status: 400 })
  })
  window.csrf_token = 'old'
  document.cookie = 'user_id=ann%40acme.example'
  const stop = watchSession('ann@acme.example', () => undefined)
  expect(await send()).toMatchObject({ name: 'f1' })
  expect(sent).toEqual(['old ann@acme.example', 'new ann@acme.example'])
  stop()
  delete window.csrf_token
  document.cookie = 'user_id=; max-age=-1'
})
