import { afterEach, expect, test, vi } from 'vitest'
import { call, createDoc, deleteDoc, getDoc, updateDoc } from './api.ts'
import { offlineMessage } from './api-error.ts'

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
