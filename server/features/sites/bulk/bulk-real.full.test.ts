import { afterAll, beforeAll, expect, test } from 'vitest'
import { crashPointName, crashPointsOf } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import { BulkRunDoctype, type BulkRun } from '#shared/doctypes/bulk-run.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { BulkRow } from '#shared/responses/bulk.ts'
import { until, untilEnded } from '#tests/support/jobs.ts'
import { addContent, fingerprintOf } from '#tests/support/local-content.ts'
import { openLocalKills, type LocalKills } from '#tests/support/local-kills.ts'
import { ask } from '#tests/support/local-process.ts'
import { makeLocalSite } from '#tests/support/local-sites.ts'

/** Bulk runs over real sites, which are paused, killed (kill -9) and undone. */

const long = process.env['EASYDASH_TEST_LONG'] === '1'
let t: LocalKills
let live: Site
let names: string[]
const fingerprint = (site: Site) => fingerprintOf(t.now.fixture, site)

/** A WordPress with content, and six sites besides, which start fast. */
beforeAll(async () => {
  t = await openLocalKills()
  const { documents } = t.now.running
  live = await makeLocalSite(documents, t.owner, { server: t.server, domain: 'bulk', title: 'Bulk' })
  await addContent(t.now.fixture, live)
  const others = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (number) => {
      const domain = `small-${number}`
      const values = { domain, server: t.server, site_type: 'php', php_version: '8.4', title: domain }
      const doc = await documents.insert(t.owner, 'Site', values)
      expect(await untilEnded(documents, String(doc['job']))).toMatchObject({ status: 'Done' })
      return doc.name
    }),
  )
  names = [live.name, ...others]
})
afterAll(() => t?.close())

const type = 'site.set_php_version'
const documents = () => t.now.running.documents
const lastRun = async (): Promise<BulkRun> => {
  const [run] = await documents().transaction(systemSession(), (tx) =>
    tx.list(BulkRunDoctype, [], { order_by: 'creation desc', limit: 1 }),
  )
  return run as BulkRun
}
const untilRun = async (met: (run: BulkRun) => boolean): Promise<BulkRun> =>
  (await until(documents(), BulkRunDoctype, (await lastRun()).name, (run) => run !== null && met(run))) as BulkRun
const act = async (action: string) => ask(t.now, t.owner, { doctype: 'Bulk Run', name: (await lastRun()).name, action })
const rows = async () => (await act('rows')) as unknown as BulkRow[]

/** The version of PHP that the sites do not run. */
const otherPhp = async () => ((await t.siteNow(live.name))?.php_version === '8.4' ? '8.3' : '8.4')

test.each(long ? crashPointsOf(type, ['switch', 'check_page']) : [crashPointName(type, 'after-run', 'switch')])(
  'killed at %s: each site gets its one job, and a truth',
  async (point) => {
    const php = await otherPhp()
    const before = await fingerprint(live)
    await t.killAt(type, point, { bulk: { action: 'set_php_version', argument: php, sites: names } })
    const ended = await untilRun(({ status }) => status === 'Done')
    expect(ended).toMatchObject({ total: names.length, done: names.length, failed: 0, waiting: 0, running: 0 })
    const jobs = await documents().transaction(systemSession(), (tx) =>
      tx.list(JobDoctype, [['bulk_run', '=', ended.name]]),
    )
    expect(jobs.map(({ reference_name: site, status }) => `${site} ${status}`).toSorted()).toEqual(
      names.map((name) => `${name} Done`).toSorted(),
    )
    for (const name of names)
      expect(await t.siteNow(name)).toMatchObject({ php_version: php, status: 'Live', locked_by_job: null })
    expect(await fingerprint(live)).toEqual(before)
  },
)

test('paused, it starts no more, also after a restart; resumed, it does the rest', async () => {
  const php = await otherPhp()
  await ask(t.now, t.owner, { bulk: { action: 'set_php_version', argument: php, sites: names } })
  await untilRun(({ done }) => done > 0)
  await act('pause')
  const paused = await untilRun(({ running }) => running === 0)
  expect(paused).toMatchObject({ status: 'Paused', waiting: expect.any(Number) })
  expect(paused.waiting).toBeGreaterThan(0)
  await t.restart()
  expect(await lastRun()).toMatchObject({ status: 'Paused', waiting: paused.waiting, running: 0 })
  const waiting = (await rows()).filter(({ state }) => state === 'waiting')
  for (const { site, job } of waiting) {
    expect(job).toBeNull()
    expect(await t.siteNow(site)).toMatchObject({ status: 'Live', locked_by_job: null })
    expect((await t.siteNow(site))?.php_version).not.toBe(php)
  }
  await act('resume')
  expect(await untilRun(({ status }) => status === 'Done')).toMatchObject({ done: names.length })
  for (const name of names) expect(await t.siteNow(name)).toMatchObject({ php_version: php, status: 'Live' })
})

test('archived sites come back as they were when the archiving is undone', async () => {
  const before = await fingerprint(live)
  await ask(t.now, t.owner, { bulk: { action: 'archive', argument: null, sites: names } })
  expect(await untilRun(({ status }) => status === 'Done')).toMatchObject({ done: names.length })
  for (const name of names) expect(await t.siteNow(name)).toMatchObject({ status: 'Archived', locked_by_job: null })
  const done = (await rows()).filter(({ state }) => state === 'done').map(({ site }) => site)
  await ask(t.now, t.owner, { bulk: { action: 'restore_archive', argument: null, sites: done } })
  expect(await untilRun(({ status }) => status === 'Done')).toMatchObject({ done: names.length })
  for (const name of names) expect(await t.siteNow(name)).toMatchObject({ status: 'Live', locked_by_job: null })
  expect(await fingerprint(live)).toEqual(before)
})
