import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeThumbnail } from '#server/engines/fake/fake-site.ts'
import type { SitesDeps } from '#server/features/sites/deps.ts'
import { thumbnailTable, settleThumbnailRequest, requestThumbnail } from '#server/features/sites/thumbnail-table.ts'
import { thumbnailMethod } from '#server/features/sites/thumbnails.ts'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { testSiteDeps } from '#tests/support/buckets.ts'

let booted: Booted
/** Sites of acme: the member's own, and two of the owner's, one with and one without a thumbnail. */
let own: string
let hidden: string
let bare: string
const people: Record<string, Browser> = {}

const address = (site: string) => `/api/method/easydash.api.site.thumbnail?site=${site}&v=tag1`
const open = (who: string, site: string, headers: Record<string, string> = {}) =>
  (people[who] as Browser).fetch(address(site), { headers })

beforeAll(async () => {
  const deps: SitesDeps = {
    documents: () => booted.documents,
    engines: {},
    hosts: async () => [],
    ...testSiteDeps('/nowhere'),
    jobs: () => {
      throw new Error('There are no jobs here.')
    },
  }
  booted = await boot({ methods: [thumbnailMethod(deps)] })
  await booted.organization('acme', {
    'member@acme.example': 'Organization User',
    'manager@acme.example': 'Organization Manager',
  })
  await booted.organization('globex')
  await booted.person('root@easydash.example', { platformAdmin: true })
  ;[own = '', hidden = '', bare = ''] = await booted.documents.transaction(booted.system, async (tx) => {
    await thumbnailTable(tx.trx)
    const server = await tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'one.acme.test',
      status: 'Healthy',
    })
    const made: string[] = []
    for (const [domain, owner] of [
      ['mine', 'member@acme.example'],
      ['hidden', 'owner@acme.example'],
      ['bare', 'owner@acme.example'],
    ] as const) {
      const values = { organization: 'acme', server: server.name, domain, site_type: 'html' }
      made.push((await tx.insert('Site', values, { owner })).name)
    }
    for (const name of made.slice(0, 2)) {
      const wanted = '2026-01-01 00:00:00.000000'
      await requestThumbnail(tx, name, wanted)
      const site = { name, domain: 'x', site_type: 'html', php_version: null } as const
      await settleThumbnailRequest(tx, { site, wanted, requestedByUser: false }, wanted, {
        tag: 'tag1',
        content: fakeThumbnail,
      })
    }
    return made
  })
  for (const [who, email] of Object.entries({
    owner: 'owner@acme.example',
    manager: 'manager@acme.example',
    member: 'member@acme.example',
    stranger: 'owner@globex.example',
    root: 'root@easydash.example',
  }))
    people[who] = await booted.signedIn(email)
  people['guest'] = booted.browser()
})
afterAll(() => booted?.close())

it('users who can read the site get its screenshot, cached privately', async () => {
  for (const [who, site] of [
    ['owner', hidden],
    ['owner', own],
    ['manager', hidden],
    ['member', own],
    ['root', hidden],
  ] as const) {
    const response = await open(who, site)
    expect([who, response.status]).toEqual([who, 200])
    expect(response.headers.get('content-type')).toBe('image/webp')
    expect(response.headers.get('cache-control')).toBe('private, max-age=3600')
    expect(response.headers.get('vary')).toContain('Cookie')
    expect(response.headers.get('etag')).toBe('"tag1"')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    expect(Buffer.from(await response.arrayBuffer()).equals(fakeThumbnail)).toBe(true)
  }
})

it('an unchanged screenshot answers 304, after the permission check', async () => {
  const again = await open('member', own, { 'if-none-match': '"tag1"' })
  expect(again.status).toBe(304)
  expect(await again.text()).toBe('')
  expect((await open('member', hidden, { 'if-none-match': '"tag1"' })).status).toBe(403)
  expect((await open('guest', hidden, { 'if-none-match': '"tag1"' })).status).toBe(403)
})

it('a member without the site, another organization and guests get nothing of it', async () => {
  expect((await open('member', hidden)).status).toBe(403)
  expect((await open('guest', own)).status).toBe(403)
  const foreign = await open('stranger', own)
  const missing = await open('stranger', 'nosuchsite')
  expect([foreign.status, missing.status]).toEqual([404, 404])
  const words = async (response: Response, name: string) => (await response.text()).replaceAll(name, 'NAME')
  expect(await words(foreign, own)).toBe(await words(missing, 'nosuchsite'))
})

it('a site without a thumbnail has none', async () => {
  expect((await open('owner', bare)).status).toBe(404)
})
