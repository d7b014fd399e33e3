import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AwakeSites } from '../processes/awake-sites.ts'
import { createLoginLinks } from './login-links.ts'
import type { SiteRecord } from './site-record.ts'
import type { SiteStore } from './site-store.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'

describe('login links', () => {
  const record = { id: 'a', domain: 'a' } as SiteRecord
  let folder: string
  let server: Server
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'links-'))
    server = createServer()
  })
  afterEach(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })

  it('set no cookie beyond the host of the site', async () => {
    const cookies = [
      'in=1; Path=/',
      'sid=evil; Domain=localhost; Path=/',
      'b=2; domain=.LOCALHOST',
      'c=3; Domain=a.localhost',
    ]
    const process = { call: async () => ({ value: { found: true }, headers: { 'set-cookie': cookies } }) }
    const links = createLoginLinks({
      store: { paths: () => ({ tokens: join(folder, 'tokens') }) } as unknown as SiteStore,
      awake: { hold: () => () => undefined, wake: async () => process } as unknown as AwakeSites,
      now: Date.now,
      isSecure: false,
    })
    const { pathname, search } = new URL(
      await links.create(record, wordpressPerson(), 30, { siteUrl: 'http://a.localhost' }),
    )
    server.on('request', (request, response) => {
      request.headers.host = 'a.localhost:8080'
      void links.redeem(record, request, response)
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, { redirect: 'manual' })
    expect(response.headers.get('location')).toBe('/wp-admin/')
    expect(response.headers.getSetCookie()).toEqual([
      'in=1; Path=/',
      'sid=evil; Path=/',
      'b=2',
      'c=3; Domain=a.localhost',
    ])
  })
})
