import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { setPlans } from '#tests/support/plans.ts'
import { limitControllers, usageOf } from './limits.ts'
import { seedPlatformSettings } from './platform-settings.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let t: TestSites
beforeEach(async () => {
  t = await openTestSites(limitControllers)
  await system(seedPlatformSettings)
  await setPlans(t.running.documents, systemSession(), true)
})
afterEach(() => t.close())

const system = <T>(fn: Parameters<typeof t.running.documents.transaction<T>>[1]) =>
  t.running.documents.transaction(systemSession(), fn)
const inUse = async () => (await system((tx) => usageOf(tx, 'acme'))).site
const limit = (site_limit_override: string) =>
  system((tx) => tx.update(OrganizationDoctype, 'acme', { site_limit_override }))
const through = (tries: readonly PromiseSettledResult<object | null>[]) => {
  for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'limit_reached' })
  return tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

test('eight concurrent creations: as many as allowed, and no job for the others', async () => {
  await limit('3')
  const made = through(
    await Promise.allSettled(Array.from({ length: 8 }, (_, n) => t.insert(`site-${n}`, { site_type: 'html' }))),
  )
  expect(made).toHaveLength(3)
  for (const site of made) expect((await t.end(site)).status).toBe('Done')
  expect(await inUse()).toBe(3)
  expect(await system((tx) => tx.count(JobDoctype, []))).toBe(3)
})

test('concurrent restores from the archive: as many as allowed; the others stay in the archive, unlocked', async () => {
  const names: string[] = []
  for (let n = 0; n < 4; n += 1) {
    const { name } = await t.live(`site-${n}`)
    expect((await t.end(await t.act(name, 'archive', { confirm_name: `site-${n}` }))).status).toBe('Done')
    names.push(name)
  }
  expect(await inUse()).toBe(0)
  await limit('2')
  const jobs = through(await Promise.allSettled(names.map((name) => t.act(name, 'restore_archive'))))
  expect(jobs).toHaveLength(2)
  for (const job of jobs) expect((await t.end(job)).status).toBe('Done')
  expect(await inUse()).toBe(2)
  for (const name of names) {
    const site = await t.siteNow(name)
    expect(['Live', 'Archived']).toContain(site?.status)
    expect(site?.locked_by_job).toBeNull()
  }
  await expect(t.insert('one-more')).rejects.toMatchObject({ code: 'limit_reached' })
})
