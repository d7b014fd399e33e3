import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostsWith, type EngineHost } from '#server/engines/hosts.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from './engine-of.ts'
import { measureDaily, measureFound } from './measure-sites.ts'

let t: TestSites

beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

test('the sites that a server had get an owner, once; others keep theirs', async () => {
  const { documents } = t.running
  const own = await t.live('own')
  // The job that finds sites has the rights of whoever started it.
  const insert = (domain: string) =>
    documents.transaction(t.owner, async (tx) => {
      await tx.update(ServerDoctype, t.server.name, { is_imported_with_ee: 1 }, { hooks: false, activity: false })
      return tx.insert(SiteDoctype, {
        ...{ organization: 'acme', server: t.server.name, engine: 'fake', engine_host: 'fake:this', domain },
        ...{ site_type: 'wp', title: 'Found', status: 'Live', url: `https://${domain}`, is_found: 1 },
      }) as Promise<Site>
    })
  const found = await insert('found')
  const second = await insert('second')
  const choose = (new_owner: string, by = t.owner, sites?: string[]) =>
    documents.runAction(by, 'Server', t.server.name, 'set_sites_owner', { new_owner, ...(sites && { sites }) })
  expect(await rejectionOf(choose(t.other.user))).toMatchObject({ code: 'invalid', field: 'new_owner' })
  expect(await rejectionOf(choose(t.owner.user, t.other))).not.toBeNull()
  // Only those that were chosen, and of others none.
  expect(await choose(t.owner.user, t.owner, [second.name, own.name])).toEqual({ sites: 1 })
  expect(await t.siteNow(found.name)).toMatchObject({ createdby_email: null })
  expect(await choose(t.owner.user)).toEqual({ sites: 1 })
  expect(await t.siteNow(found.name)).toMatchObject({ owner: t.owner.user, createdby_email: t.owner.user })
  expect(await t.siteNow(own.name)).toMatchObject({ createdby_email: own.createdby_email })
  expect(await choose(t.owner.user)).toEqual({ sites: 0 })
})

test('sites that a server had are measured before anybody opens them', async () => {
  const { documents } = t.running
  const [site, stopped] = [await t.live('measured'), await t.live('stopped')]
  const unknown = { is_found: 1, disk_used: null, wordpress_version: null } as const
  for (const { name, status } of [site, { ...stopped, status: 'Suspended' as const }])
    await documents.transaction(t.owner, (tx) =>
      tx.update(SiteDoctype, name, { ...unknown, status }, { hooks: false, activity: false }),
    )
  const [host] = hostsWith(await t.deps.hosts(), 'host')
  if (!host) throw new Error('There is no host.')
  const tried = new Map<string, number>()
  await measureFound(t.deps, host, tried)
  for (const { name } of [site, stopped])
    expect(await t.siteNow(name)).toMatchObject({
      memory_mb: 256,
      upload_mb: 64,
      disk_used: expect.any(Number),
      wordpress_version: expect.any(String),
    })
  // Where certificates can't be read, everything else is.
  const unreadable = new Error('It has no ssl-info.')
  await documents.transaction(t.owner, (tx) =>
    tx.update(SiteDoctype, stopped.name, unknown, { hooks: false, activity: false }),
  )
  const certificates = { ...host.engine.certificates, read: () => Promise.reject(unreadable) }
  const old = { ...host.engine, certificates, lacks: () => ({ tls: 'Upgrade it.' }) } as typeof host.engine
  tried.clear()
  await measureFound(t.deps, { ...host, engine: old }, tried)
  expect(await t.siteNow(stopped.name)).toMatchObject({ disk_used: expect.any(Number) })
  // Not again, and those that could not be measured not soon.
  tried.clear()
  await measureFound(t.deps, host, tried)
  expect(tried.has(site.name)).toBe(false)
})

test('a site without a quota is measured once a day: its disk, and the limits that people set on the server', async () => {
  const site = await t.live('growing')
  const [host] = hostsWith(await t.deps.hosts(), 'host')
  if (!host) throw new Error('There is no host.')
  let size = 1_000
  const observe = async (ref: SiteRef) => ({ ...(await host.engine.observe(ref)), diskUsed: size })
  const { quotas, ...engine } = { ...host.engine, observe }
  const growing = { ...host, engine }
  const tried = new Map<string, number>()
  const measured = async (on: EngineHost<'host'> = growing) => {
    await measureDaily(t.deps, on, tried)
    return (await t.siteNow(site.name))?.disk_used
  }
  const { modified } = (await t.siteNow(site.name)) as Site
  expect(await measured()).toBe(1_000)
  expect((await t.siteNow(site.name))?.modified).toBe(modified)
  size = 2_000
  expect(await measured()).toBe(1_000)
  t.pass(25 * 3_600_000)
  expect(await measured()).toBe(2_000)
  const theirs = { memoryMb: 512, uploadMb: 300 }
  await host.engine.settings?.change(siteRef(site, host.server), theirs, { isFormer: true })
  t.pass(25 * 3_600_000)
  expect(await measured()).toBe(2_000)
  expect(await t.siteNow(site.name)).toMatchObject({ memory_mb: 512, upload_mb: 300, modified })
  size = 3_000
  t.pass(25 * 3_600_000)
  expect(await measured({ ...host, engine: { ...engine, ...(quotas && { quotas }) } }), 'with quotas').toBe(2_000)
})
