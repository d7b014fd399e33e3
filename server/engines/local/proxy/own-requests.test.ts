import type { ServerResponse } from 'node:http'
import { setImmediate as soon } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createOwnRequests } from './own-requests.ts'

const maxBytes = 8 * 1024 * 1024

/** Writes chunk after chunk, like a network source, until the other side closes. */
async function writeUntilClosed(response: ServerResponse): Promise<void> {
  for (; !response.destroyed; await soon()) response.write(Buffer.alloc(256 * 1024, 'x'))
}

test('reads only the beginning of an endless body and closes the connection', async () => {
  const ended = Promise.withResolvers<void>()
  const own = createOwnRequests((_request, response) => {
    response.once('close', ended.resolve)
    void writeUntilClosed(response)
  })
  const response = await own.read('x.localhost', '/', { timeoutMs: 60_000 })
  expect(response.status).toBe(200)
  expect(response.body.length).toBe(maxBytes)
  await ended.promise
})

test('an answer that breaks off is none', async () => {
  const own = createOwnRequests((_request, response) => {
    response.write('the beginning', () => response.destroy())
  })
  await expect(own.get('x.localhost', '/', { timeoutMs: 60_000 })).rejects.toMatchObject({
    ...{ code: 'unavailable', retryable: true },
    message: expect.stringContaining('did not answer'),
  })
})

test('a usual body is whole, one that ends exactly there too', async () => {
  const own = createOwnRequests((request, response) =>
    response.end(request.url === '/most' ? Buffer.alloc(maxBytes, 'y') : 'hello'),
  )
  expect((await own.get('x.localhost', '/', { timeoutMs: 60_000 })).body).toBe('hello')
  expect((await own.read('x.localhost', '/most', { timeoutMs: 60_000 })).body.equals(Buffer.alloc(maxBytes, 'y'))).toBe(
    true,
  )
})
