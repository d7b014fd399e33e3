import { request, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Method } from '#server/contracts/method.ts'
import { boot, type Booted } from './booted.ts'

const rows = Array.from({ length: 200 }, (_, at) => ({ name: `s${at}`, domain: `site-${at}.example` }))
const large: Method = {
  name: 'test.large',
  access: 'guest',
  verbs: ['GET'],
  description: 'For tests.',
  run: () => Promise.resolve(rows),
}

let booted: Booted
beforeAll(async () => {
  booted = await boot({ methods: [large] })
})
afterAll(() => booted.close())

/** Sends a request without decoding the response. */
async function ask(path: string, accepted?: string): Promise<{ response: IncomingMessage; body: Buffer }> {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(new URL(path, booted.url), { headers }, resolve).once('error', reject).end()
  })
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return { response, body: Buffer.concat(parts) }
}

const list = '/api/method/test.large'

test.each([
  ['br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['br;q=0, gzip', 'gzip', gunzipSync],
] as const)('a large answer goes compressed to who takes %s', async (accepted, encoding, decode) => {
  const plain = await ask(list)
  const small = await ask(list, accepted)
  expect(small.response.headers).toMatchObject({
    'content-encoding': encoding,
    'content-type': plain.response.headers['content-type'],
    vary: expect.stringMatching(/accept-encoding/i) as unknown,
  })
  expect(JSON.parse(decode(small.body).toString())).toEqual({ message: rows })
  expect(small.body.length).toBeLessThan(plain.body.length / 5)
})

test.each([undefined, 'identity', 'unheard-of', 'br;q=0', '*;q=0'])(
  'who takes %s gets it as it is',
  async (accepted) => {
    const { response, body } = await ask(list, accepted)
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(body.toString())).toEqual({ message: rows })
  },
)

test.each([
  ['a page, which has its CSRF token beside parts of its address', '/web/login', 1400],
  ['a page of another path', '/web/site/guess', 1400],
  ['a page of the server', '/api/docs', 1400],
  ['what one packet carries', '/api/method/ping', 0],
])('%s stays as it is', async (_what, path, least) => {
  for (const accepted of ['br', 'gzip', 'gzip, deflate, br']) {
    const { response, body } = await ask(path, accepted)
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(body.length).toBeGreaterThan(least)
  }
})
