import { request, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type Booted } from './booted.ts'

let booted: Booted
beforeAll(async () => {
  booted = await boot({})
})
afterAll(() => booted.close())

/** Asks as a program does that decodes nothing by itself. */
async function ask(path: string, accepted?: string): Promise<IncomingMessage & { body: Buffer }> {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(new URL(path, booted.url), { headers }, resolve).once('error', reject).end()
  })
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part as Buffer)
  return Object.assign(answer, { body: Buffer.concat(parts) })
}

const large = '/api/openapi.json'

test.each([
  ['br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['br;q=0, gzip', 'gzip', gunzipSync],
] as const)('a large answer goes compressed to who takes %s', async (accepted, encoding, decode) => {
  const plain = await ask(large)
  const small = await ask(large, accepted)
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(small.headers).toMatchObject({
    'content-encoding': encoding,
    'content-type': plain.headers['content-type'],
    vary: expect.stringMatching(/accept-encoding/i) as unknown,
  })
  expect(decode(small.body).equals(plain.body)).toBe(true)
  expect(small.body.length).toBeLessThan(plain.body.length / 5)
})

test.each([undefined, 'identity', 'unheard-of'])('who takes %s gets it as it is', async (accepted) => {
  const answer = await ask(large, accepted)
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-encoding']).toBeUndefined()
  expect(JSON.parse(answer.body.toString())).toHaveProperty('openapi')
})

test.each([
  ['/api/method/ping', 'a packet carries it anyway'],
  ['/web/login', 'a page has its CSRF token beside parts of its address'],
])('%s stays as it is: %s', async (path) => {
  const answer = await ask(path, 'gzip, br')
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-encoding']).toBeUndefined()
})
