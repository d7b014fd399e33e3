import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { call, createDoc, deleteDoc, getDoc, updateDoc } from './api.ts'
import { offlineMessage, unreadableMessage } from './api-error.ts'
import { onDoubt } from './refusal.ts'
import { watchSession } from './session-end.ts'

afterEach(() => vi.unstubAllGlobals())

const answer = (response: () => Response | Promise<Response>) => vi.stubGlobal('fetch', async () => response())

const silent = () => answer(() => new Response('<html>Bad gateway</html>', { status: 502 }))

test.each([
  ['There was an error.', () => call('ping')],
  ['There was an error while logging in', () => call('login', {}, { failure: 'There was an error while logging in' })],
  ['There was an error while fetching the document.', () => getDoc('Site', 'a')],
  ['There was an error while creating the document.', () => createDoc('Site', {})],
  ['There was an error while updating the document.', () => updateDoc('Site', 'a', {})],
  ['There was an error while deleting the document.', () => deleteDoc('Site', 'a')],
])('an answer that says nothing is told as "%s"', async (message, ask) => {
  silent()
  await expect(ask()).rejects.toMatchObject({ message, httpStatus: 502 })
})

test('what the server says comes first', async () => {
  answer(() => Response.json({ exception: 'frappe.exceptions.ValidationError: Too long' }, { status: 417 }))
  await expect(getDoc('Site', 'a')).rejects.toMatchObject({ message: 'Too long', httpStatus: 417 })
})

test('no answer at all says that the server is away', async () => {
  answer(() => Promise.reject(new TypeError('Failed to fetch')))
  await expect(call('ping')).rejects.toMatchObject({ message: offlineMessage, httpStatus: 0 })
})

test.each(['<html>Log in to the hotel</html>', '{"data": {"na', ''])(
  'an answer that is not the server’s is never taken for success: %j',
  async (body) => {
    answer(() => new Response(body, { status: 200 }))
    await expect(updateDoc('Site', 'a', {})).rejects.toMatchObject({ message: unreadableMessage, httpStatus: 0 })
  },
)

test.each([
  [401, 1],
  [403, 1],
  [404, 0],
  [500, 0],
])('%i is told to who watches the session %i times', async (status, times) => {
  const told = vi.fn<() => void>()
  const stop = onDoubt(told)
  answer(() => Response.json({}, { status }))
  await expect(call('ping')).rejects.toMatchObject({ httpStatus: status })
  stop()
  await expect(call('ping')).rejects.toMatchObject({ httpStatus: status })
  expect(told).toHaveBeenCalledTimes(times)
})

describe('after the person logged in again elsewhere', () => {
  let sent: (string | null)[]
  /** Knows the token `new` alone; its page says which one that is. */
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
    delete window.csrf_token
    document.cookie = 'user_id=; max-age=0'
  })

  test('a call goes through with the token of the new session', async () => {
    await expect(call('save')).resolves.toBe('done')
    expect(sent).toEqual(['old', 'new'])
  })

  test('nothing is sent in the name of somebody else', async () => {
    document.cookie = 'user_id=bob%40acme.example'
    await expect(call('save')).rejects.toMatchObject({ excType: 'CSRFTokenError' })
    expect(sent).toEqual(['old'])
  })

  test('a token that is refused as well is no reason to go on for ever', async () => {
    window.csrf_token = 'new'
    vi.stubGlobal('fetch', (path: string) =>
      path === '/web/' ? server(path) : Promise.resolve(Response.json({ exc_type: 'CSRFTokenError' }, { status: 400 })),
    )
    await expect(call('save')).rejects.toMatchObject({ excType: 'CSRFTokenError' })
  })
})
