import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fetchFrom, type FetchOptions } from '../engine-fixture.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { headersForReading, isVisible, limitToReading } from './opened-backup.ts'

/** Says what gets through, and what of it. */
const server = createServer((request, response) => {
  if (!limitToReading(request, response)) return
  const { cookie = null, authorization = null } = request.headers
  response.end(JSON.stringify({ cookie, authorization }))
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.close()
})
const ask = (path: string, options: FetchOptions = {}) =>
  fetchFrom((server.address() as AddressInfo).port, 'a.localhost', path, options)

it('lets through what only reads, without what signs in', async () => {
  const headers = { cookie: 'a=1', authorization: 'Basic YTpi' }
  for (const method of ['GET', 'HEAD']) {
    const { status, body, headers: got } = await ask('/?p=1', { method, headers })
    expect([status, got['x-robots-tag']]).toEqual([200, 'noindex, nofollow'])
    if (method === 'GET') expect(JSON.parse(body)).toEqual({ cookie: null, authorization: null })
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
    expect([method, (await ask('/', { method })).status]).toEqual([method, 403])
  expect((await ask('/', { method: 'GET', headers: { 'content-length': '1' }, body: 'x' })).status).toBe(403)
})

it.each([
  ['/wp-admin', 403],
  ['/wp-admin/admin-ajax.php?action=x', 403],
  ['//wp-login.php', 403],
  ['/shop/WP-Login.php/more', 403],
  ['/wp%2dlogin.php', 403],
  ['/x%5Cwp-admin/', 403],
  ['/xmlrpc.php', 403],
  ['/.easydash/login?token=x', 403],
  ['/about-wp-admin/', 200],
  ['/?to=/wp-admin/', 200],
  ['/wp-login.phpx', 200],
  ['/%', 200],
])('%s gets %i', async (path, status) => {
  expect((await ask(path)).status).toBe(status)
})

it('answers nobody before and after its time', () => {
  const seen = (record: Partial<SiteRecord>, isOwn: boolean) => isVisible(record as SiteRecord, isOwn, 10)
  expect([seen({}, false), seen({ rehearsal: true }, true), seen({ rehearsal: true }, false)]).toEqual([
    true,
    true,
    false,
  ])
  for (const isOwn of [true, false])
    expect([11, 10, 9].map((openUntil) => seen({ rehearsal: true, openUntil }, isOwn))).toEqual([true, false, false])
})

it('adds its policy to that of the site, and gives no cookies', () => {
  expect(
    headersForReading({
      'set-cookie': ['a=1'],
      'x-robots-tag': 'all',
      'content-security-policy': "img-src 'self'",
      etag: 'x',
    }),
  ).toEqual({
    etag: 'x',
    'x-robots-tag': 'noindex, nofollow',
    'referrer-policy': 'same-origin',
    'content-security-policy': "img-src 'self', form-action 'self'; connect-src 'self'",
  })
})
