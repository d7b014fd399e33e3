import { afterEach, expect, test, vi } from 'vitest'
import { call, createDoc, deleteDoc, getDoc, updateDoc } from './api.ts'
import { offlineMessage, unreadableMessage } from './api-error.ts'
import { onSessionInvalidation } from './session-invalidation.ts'

afterEach(() => vi.unstubAllGlobals())

const respondWith = (response: () => Response | Promise<Response>) => vi.stubGlobal('fetch', async () => response())

const respondWithHtml = () => respondWith(() => new Response('<html>Bad gateway</html>', { status: 502 }))

test.each([
  ['There was an error.', () => call('ping')],
  ['There was an error while logging in', () => call('login', {}, { failure: 'There was an error while logging in' })],
  ['There was an error while fetching the document.', () => getDoc('Site', 'a')],
  ['There was an error while creating the document.', () => createDoc('Site', {})],
  ['There was an error while updating the document.', () => updateDoc('Site', 'a', {})],
  ['There was an error while deleting the document.', () => deleteDoc('Site', 'a')],
])('an empty response is reported as "%s"', async (message, ask) => {
  respondWithHtml()
  await expect(ask()).rejects.toMatchObject({ message, httpStatus: 502 })
})

test('the server’s message takes precedence', async () => {
  respondWith(() =>
    Response.json({ _error_message: 'Too long', exception: 'ValidationError: Too long' }, { status: 417 }),
  )
  await expect(getDoc('Site', 'a')).rejects.toMatchObject({ message: 'Too long', httpStatus: 417 })
})

test('a failed connection is reported as an unreachable server', async () => {
  respondWith(() => Promise.reject(new TypeError('Failed to fetch')))
  await expect(call('ping')).rejects.toMatchObject({ message: offlineMessage, httpStatus: 0 })
})

test.each(['<html>Log in to the hotel</html>', '{"data": {"na', ''])(
  'a response that is not from the server is never treated as success: %j',
  async (body) => {
    respondWith(() => new Response(body, { status: 200 }))
    await expect(updateDoc('Site', 'a', {})).rejects.toMatchObject({ message: unreadableMessage, httpStatus: 0 })
  },
)

test.each([
  [401, 1],
  [403, 1],
  [404, 0],
  [500, 0],
])('%i notifies the session listeners %i times', async (status, times) => {
  const listener = vi.fn<() => void>()
  const stop = onSessionInvalidation(listener)
  respondWith(() => Response.json({}, { status }))
  await expect(call('ping')).rejects.toMatchObject({ httpStatus: status })
  stop()
  await expect(call('ping')).rejects.toMatchObject({ httpStatus: status })
  expect(listener).toHaveBeenCalledTimes(times)
})
