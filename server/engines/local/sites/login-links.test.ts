import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fetchFrom, type Fetched } from '../engine-fixture.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import { createLoginLinks, type LoginLinks } from './login-links.ts'
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

  const linksOf = (result: unknown) => {
    const announced: Array<{ ticket: string; input: Record<string, unknown> }> = []
    const process = {
      call: async () => ({ value: result, headers: {} }),
      signIn: (one: { ticket: string; input: Record<string, unknown> }) => void announced.push(one),
    }
    const links = createLoginLinks({
      store: { paths: () => ({ tokens: join(folder, 'tokens') }) } as unknown as SiteStore,
      awake: { hold: () => () => undefined, wake: async () => process } as unknown as AwakeSites,
      now: Date.now,
      isSecure: false,
    })
    return { links, announced }
  }
  const start = async (
    links: LoginLinks,
  ): Promise<(path: string, headers?: Record<string, string>) => Promise<Fetched>> => {
    server.on('request', (request, response) => {
      void links.redeem(record, request, response).then((signIn) => signIn !== null && response.end(signIn.path))
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const { port } = server.address() as AddressInfo
    return (path, headers = {}) => fetchFrom(port, 'a.localhost', path, { headers })
  }

  it('sign in once, and say so afterward', async () => {
    const { links, announced } = linksOf({ found: true })
    const visit = await start(links)
    const { pathname, search } = new URL(
      await links.create(record, wordpressPerson(), 30, { siteUrl: 'http://a.localhost' }),
    )
    const path = pathname + search
    const person = { 'sec-fetch-mode': 'navigate' }
    const previews: ReadonlyArray<Record<string, string>> = [
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'x-moz': 'prefetch' },
      { 'sec-fetch-mode': 'no-cors' },
      { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
      { 'user-agent': 'facebookexternalhit/1.1' },
      { 'user-agent': 'WhatsApp/2.23' },
      { 'user-agent': 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5' },
    ]
    for (const header of previews) {
      const preview = await visit(path, { ...person, ...header })
      expect([preview.status, preview.body], JSON.stringify(header)).toEqual([
        503,
        expect.stringContaining('Nobody was signed in'),
      ])
    }
    expect(announced).toEqual([])
    expect((await visit(path, person)).body).toBe(`/.easydash/sign-in?${announced[0]?.ticket}`)
    expect(announced[0]?.input).toEqual(wordpressPerson())
    const again = await visit(path, person)
    expect([again.status, again.body]).toEqual([410, expect.stringContaining('This link was used already')])
    const never = await visit(`${pathname}?token=${'A'.repeat(43)}`, person)
    expect([never.status, never.body]).toEqual([410, expect.stringContaining('This link has expired')])
    // What is left of it names nobody.
    await links.create(record, wordpressPerson('other'), 30, { siteUrl: 'http://a.localhost' })
    const texts = await Promise.all(
      (await readdir(join(folder, 'tokens'))).map((name) => readFile(join(folder, 'tokens', name), 'utf8')),
    )
    expect(texts.filter((text) => text.includes(wordpressPerson().email))).toEqual([])
  })

  it('are not made if the site lets nobody in', async () => {
    const to = { siteUrl: 'http://a.localhost' }
    await expect(linksOf({ found: false }).links.create(record, wordpressPerson(), 30, to)).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(linksOf(null).links.create(record, wordpressPerson(), 30, to)).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})
