/** Routes a feature adds besides its methods: a vendor's webhook, signed over the bytes sent. */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { RawRequest } from '#server/contracts/raw-route.ts'
import { sameSecret } from '#server/platform/secrets/tokens.ts'
import { boot, type Booted } from './booted.ts'
import type { Browser } from './browser.ts'
import { ask } from './raw.ts'

const sign = (body: string | Buffer) => createHmac('sha256', 'the vendor and we').update(body).digest('hex')

let received: RawRequest[] = []
const feature: Feature = {
  routes: [
    {
      verb: 'POST',
      path: '/hooks/vendor/:account',
      bodyLimit: 100 * 1024,
      rateLimit: { limit: 50, seconds: 3600 },
      run(request) {
        if (!sameSecret(String(request.headers['x-signature']), sign(request.body)))
          throw new AppError('unauthorized', msg`The signature is not valid.`)
        received.push(request)
        return Promise.resolve({ status: 202, headers: { 'content-type': 'text/plain' }, body: 'taken' })
      },
    },
    {
      verb: 'POST',
      path: '/hooks/rare',
      bodyLimit: 10,
      rateLimit: { limit: 3, seconds: 3600 },
      run: () => Promise.resolve({ status: 204 }),
    },
    {
      verb: 'GET',
      path: '/hooks/vendor/:account',
      bodyLimit: 10,
      rateLimit: { limit: 50, seconds: 3600 },
      run: ({ query, body }) =>
        Promise.resolve({ status: 200, headers: { 'content-type': 'text/plain' }, body: `${query} ${body.length}` }),
    },
  ],
}

let booted: Booted
let owner: Browser
beforeAll(async () => {
  booted = await boot({ routes: feature.routes ?? [] })
  await booted.organization('acme')
  owner = await booted.signedIn('owner@acme.example')
})
beforeEach(() => {
  received = []
})
afterAll(async () => {
  expect(booted.logged).toEqual([])
  await booted.close()
})

const send = (
  body: string | Buffer,
  headers: Record<string, string> = {},
  path = '/hooks/vendor/acme%2F1?a=%61&cmd=ping',
) =>
  ask(booted.port, {
    path,
    method: 'POST',
    headers: { accept: 'application/json', 'x-signature': sign(body), ...headers },
    body,
  })

it.each([
  ['application/json', '{"a": 1,\n "a": 2, broken'],
  ['application/x-www-form-urlencoded', 'cmd=ping&a=%zz'],
  ['multipart/form-data; boundary=b', '--b\r\nnothing'],
  ['application/octet-stream', Buffer.from([0, 255, 254, 0, 13, 10])],
  ['', 'without a type'],
])('bytes of %j arrive as they were sent', async (type, body) => {
  for (const isChunked of [false, true]) {
    const response = await send(body, {
      ...(type === '' ? {} : { 'content-type': type }),
      ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}),
    })
    expect([response.status, response.body, response.headers['content-type']]).toEqual([202, 'taken', 'text/plain'])
    expect(response.headers['set-cookie']).toBeUndefined()
  }
  expect(received).toHaveLength(2)
  for (const request of received) {
    expect(request.body).toEqual(Buffer.from(body))
    expect(request).toMatchObject({ params: { account: 'acme/1' }, query: 'a=%61&cmd=ping', ip: '127.0.0.1' })
  }
})

it('takes no body, too', async () => {
  expect((await send('')).status).toBe(202)
  expect(received[0]?.body).toEqual(Buffer.alloc(0))
})

it('needs neither session nor CSRF token, but an Origin that is sent must be ours', async () => {
  const session = { cookie: owner.cookieHeader() }
  expect((await send('x', session)).status).toBe(202)
  // The handler judges credentials, even those that would be invalid for us.
  expect((await send('x', { authorization: 'token wrong:wrong' })).status).toBe(202)
  expect((await send('x', { origin: booted.url })).status).toBe(202)
  expect(received).toHaveLength(3)
  const foreign = await send('x', { ...session, origin: 'https://evil.example' })
  expect([foreign.status, JSON.parse(foreign.body)]).toEqual([400, expect.objectContaining({ code: 'csrf' })])
  expect(received).toHaveLength(3)
})

it('has a limit for its body, announced or not', async () => {
  const limit = 100 * 1024
  for (const headers of [undefined, { 'transfer-encoding': 'chunked' }]) {
    expect((await send(Buffer.alloc(limit), headers)).status).toBe(202)
    const large = await send(Buffer.alloc(limit + 1), headers)
    expect([large.status, JSON.parse(large.body)]).toEqual([413, expect.objectContaining({ code: 'too_large' })])
  }
  expect(received).toHaveLength(2)
})

it('has a limit of requests of its own', async () => {
  const rare = () => send('x', {}, '/hooks/rare')
  for (let n = 0; n < 3; n += 1) expect((await rare()).status).toBe(204)
  const limited = await rare()
  expect([limited.status, JSON.parse(limited.body)]).toEqual([429, expect.objectContaining({ code: 'rate_limited' })])
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
  expect((await send('x')).status).toBe(202)
})

it('says what its handler refuses in the shape of all errors', async () => {
  const response = await send('x', { 'x-signature': 'wrong' })
  expect([response.status, JSON.parse(response.body)]).toEqual([
    401,
    expect.objectContaining({ exception: 'frappe.exceptions.AuthenticationError: The signature is not valid.' }),
  ])
})

it('answers a vendor who asks whether the address is ours', async () => {
  const response = await ask(booted.port, { path: '/hooks/vendor/acme?challenge=a%2Fb' })
  expect([response.status, response.body]).toEqual([200, 'challenge=a%2Fb 0'])
})

it('its handler gets no text in the address that the database refuses', async () => {
  for (const path of ['/hooks/vendor/a%00b', '/hooks/vendor/%00']) {
    const response = await send('x', {}, path)
    expect([response.status, JSON.parse(response.body)]).toEqual([417, expect.objectContaining({ code: 'invalid' })])
  }
  expect(received).toEqual([])
})

it('answers to its own verb only', async () => {
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect((await ask(booted.port, { path: '/hooks/rare', method })).status).toBe(404)
})
