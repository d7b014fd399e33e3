import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { SiteStorage } from '#shared/rules/site-quotas.ts'
import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { seedSiteQuotas } from '../billing/site-quotas.ts'
import { applyQuotas, pushQuotas } from './quotas.ts'
import { SiteQuotaDoctype } from '#shared/doctypes/site-quota.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

const gigabyte = 1024 ** 3
const storage = (changes: Partial<SiteStorage> = {}): SiteStorage => ({
  bytes: gigabyte,
  files: 3_000,
  log_bytes: 100,
  outbox_bytes: 200,
  at_least: false,
  quota: defaultSiteQuotas.wp,
  state: 'ok',
  ...changes,
})

let sites: TestSites
beforeEach(async () => {
  sites = await openTestSites()
})
afterEach(() => sites.close())

const system = systemSession('schedule')
const apply = () => applyQuotas(sites.deps, sites.host)
/** Resolves with the site once the condition holds. */
async function untilSite(name: string, holds: (site: Site) => boolean): Promise<Site> {
  for (;;) {
    const site = await sites.siteNow(name)
    if (site !== null && holds(site)) return site
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
  }
}

describe('sends quotas to the engine', () => {
  test('the quotas of the kind of site, or what the organization was granted', async () => {
    const blog = await sites.live('blog')
    await apply()
    expect(sites.engine.limits.get(blog.name)).toEqual(defaultSiteQuotas.wp)
    expect(sites.engine.tenants.get(blog.name)).toBe('acme')
    await sites.deps.documents().transaction(system, async (tx) => {
      await seedSiteQuotas(tx)
      await tx.update(SiteQuotaDoctype, 'wp', { disk_mb: 700 })
    })
    await apply()
    expect(sites.engine.limits.get(blog.name)).toEqual({ ...defaultSiteQuotas.wp, disk_mb: 700 })
    await sites.deps
      .documents()
      .transaction(system, (tx) =>
        tx.update(OrganizationDoctype, blog.organization, { site_quota_overrides: { files: 9 } }),
      )
    await apply()
    expect(sites.engine.limits.get(blog.name)).toEqual({ ...defaultSiteQuotas.wp, disk_mb: 700, files: 9 })
  })
})

describe('a site that cannot be measured', () => {
  test('affects neither the quotas of other sites nor the start', async () => {
    const [bad, good] = [await sites.live('bad'), await sites.live('good')]
    for (const { name } of [bad, good]) {
      sites.engine.reportStorage(name, storage({ state: 'suspended' }))
      await untilSite(name, (site) => site.status === 'Suspended')
    }
    const { observe, quotas } = sites.engine
    const { set } = quotas
    const measured: string[] = []
    sites.engine.observe = async (site, options) => {
      measured.push(site.id)
      if (site.id === bad.name) throw new Error('EACCES')
      return { ...(await observe(site, options)), storage: storage() }
    }
    quotas.set = (id, quota) => (id === bad.name ? Promise.reject(new Error('EACCES')) : set(id, quota))
    await pushQuotas(sites.deps, sites.host)
    expect([...sites.engine.limits.keys()]).toEqual([good.name])
    expect(measured).toEqual([])
    await apply()
    expect(measured.toSorted()).toEqual([bad.name, good.name].toSorted())
    expect((await sites.siteNow(good.name))?.status).toBe('Live')
    expect((await sites.siteNow(bad.name))?.status).toBe('Suspended')
  })
})

describe('disk usage of a site', () => {
  test('is stored in its document, and small changes do not count as an edit', async () => {
    const { name } = await sites.live('blog')
    sites.engine.reportStorage(name, storage())
    const { modified } = await untilSite(name, (site) => site.storage !== null)
    expect(await sites.siteNow(name)).toMatchObject({
      status: 'Live',
      disk_used: gigabyte + 300,
      disk_used_at_least: 0,
      storage: storage(),
    })
    sites.engine.reportStorage(name, storage({ bytes: 2 * gigabyte, at_least: true }))
    const later = await untilSite(name, (site) => site.storage?.bytes === 2 * gigabyte)
    expect(later).toMatchObject({ disk_used: 2 * gigabyte + 300, disk_used_at_least: 1, modified })
  })

  test('past its quota suspends it, with the reason, until it is within it again', async () => {
    const { name } = await sites.live('blog')
    sites.engine.reportStorage(name, storage())
    sites.engine.reportStorage(name, storage({ state: 'suspended', bytes: 9 * gigabyte }))
    const suspended = await untilSite(name, (site) => site.status === 'Suspended')
    expect(suspended.failure_reason).toContain('more disk space than its quota allows')
    sites.engine.reportStorage(name, storage({ state: 'suspended', bytes: 9 * gigabyte }))
    sites.engine.reportStorage(name, storage())
    expect(await untilSite(name, (site) => site.status === 'Live')).toMatchObject({ failure_reason: null })
  })

  test('is written in the order in which it is reported', async () => {
    const { name } = await sites.live('blog')
    for (let round = 1; round <= 20; round += 1) {
      const [last, others] = round % 2 === 0 ? (['ok', 'suspended'] as const) : (['suspended', 'ok'] as const)
      for (let at = 0; at < 4; at += 1) sites.engine.reportStorage(name, storage({ state: others }))
      sites.engine.reportStorage(name, storage({ state: last, files: round }))
      const site = await untilSite(name, ({ storage: written }) => written?.files === round)
      expect(site.status).toBe(last === 'ok' ? 'Live' : 'Suspended')
    }
    expect((await sites.siteNow(name))?.storage).toMatchObject({ state: 'ok', files: 20 })
  })

  test('reactivates a suspended site even if the event was missed', async () => {
    const { name } = await sites.live('blog')
    sites.engine.reportStorage(name, storage({ state: 'suspended' }))
    await untilSite(name, (site) => site.status === 'Suspended')
    await apply()
    expect((await sites.siteNow(name))?.status).toBe('Suspended')
    const listeners = sites.engine.observe
    sites.engine.observe = async (site, options) => ({ ...(await listeners(site, options)), storage: storage() })
    await apply()
    expect((await sites.siteNow(name))?.status).toBe('Live')
  })

  test('does not change a site with another status', async () => {
    const { name } = await sites.live('blog')
    await sites.act(name, 'archive', { confirm_name: 'blog' }).then((response) => sites.end(response))
    sites.engine.reportStorage(name, storage({ state: 'suspended' }))
    await apply()
    expect((await sites.siteNow(name))?.status).toBe('Archived')
  })
})
