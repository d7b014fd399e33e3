import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { BackupScheduleDoctype } from '#shared/doctypes/backup-schedule.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { notableIn } from '#shared/rules/notification-events.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { backupSchedules } from './backup-schedules.ts'
import { backupSweep } from './backup-sweep.ts'

const dayMs = 86_400_000
let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(async () => {
  await t?.close()
})

type Run = TestSites['deps'] extends { documents(): infer D } ? D : never
const transaction: Run['transaction'] = (_session, work) => t.deps.documents().transaction(systemSession(), work)
const all = (site: string): Promise<SiteBackup[]> =>
  transaction(systemSession(), (tx) => tx.list(SiteBackupDoctype, [['site', '=', site]], { order_by: 'creation' }))
const schedule = (site: Site, values: object) =>
  t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', site: site.name, ...values })
const noRetention = { keep_hourly: 0, keep_daily: 0, keep_weekly: 0, keep_monthly: 0, keep_yearly: 0 }
const now = () => t.deps.clock?.now() ?? Date.now()

/** Backs a site up, and waits until its backup was tried out. */
async function backUp(site: Site): Promise<string> {
  const { name, job } = (await t.act(site.name, 'backup')) as { name: string; job: string }
  await t.end({ job })
  const proof = (await all(site.name)).find((one) => one.name === name)?.locked_by_job
  if (proof) await t.end({ job: proof })
  return name
}

test('a backup stays as long as its restore can be undone', async () => {
  const site = await t.live('undone')
  await schedule(site, { ...noRetention, keep_hourly: 1, before_changes: 0 })
  const first = await backUp(site)
  const restored = await t.deps.documents().runAction(t.owner, 'Site Backup', first, 'restore', { what: 'files' })
  expect(await t.end(restored as { job: string })).toMatchObject({ status: 'Done' })
  t.pass(3_600_000)
  const second = await backUp(site)
  await backupSweep(t.deps).run()
  expect((await all(site.name)).map(({ name }) => name)).toEqual([first, second])
  expect(await rejectionOf(t.deps.documents().delete(t.owner, 'Site Backup', first))).toMatchObject({
    code: 'conflict',
  })
  const undo = await t.deps.documents().runAction(t.owner, 'Site Backup', first, 'undo_restore', {})
  expect(await t.end(undo as { job: string })).toMatchObject({ status: 'Done' })
  await backupSweep(t.deps).run()
  expect((await all(site.name)).map(({ name }) => name)).toEqual([second])
})

test('a backup of which a new site is being made stays', async () => {
  const site = await t.live('taken')
  const name = await backUp(site)
  const making = await t.live('making')
  const made = (values: object) =>
    transaction(systemSession(), (tx) => tx.update(SiteDoctype, making.name, values, { hooks: false, activity: false }))
  await made({ import_backup: name, locked_by_job: 'a123456789' })
  expect(await rejectionOf(t.deps.documents().delete(t.owner, 'Site Backup', name))).toMatchObject({
    code: 'conflict',
    message: 'A new site is being made of this backup.',
  })
  await made({ locked_by_job: null })
  await t.deps.documents().delete(t.owner, 'Site Backup', name)
  expect(await all(site.name)).toEqual([])
})

test('an archive that no backup describes is set aside for thirty days, and a failure is listed as long', async () => {
  const site = await t.live('left')
  const failed = await transaction(systemSession(), (tx) =>
    tx.insert('Site Backup', { organization: 'acme', site: site.name, site_domain: 'left', status: 'Failed' }),
  )
  const names = (folder: string): Promise<string[]> => readdir(join(t.deps.backupsFolder, folder)).catch(() => [])
  const file = 'lost123456.tar.zst.age'
  const path = join(t.deps.backupsFolder, 'store', file)
  await mkdir(join(t.deps.backupsFolder, 'store'), { recursive: true })
  await writeFile(path, 'archive')
  // As a copy of a folder keeps it.
  await utimes(path, new Date(now() - 90 * dayMs), new Date(now() - 90 * dayMs))
  await backupSweep(t.deps).run()
  expect([await names('unknown'), (await names('store')).includes(file)]).toEqual([[file], false])
  t.pass(29 * dayMs)
  await backupSweep(t.deps).run()
  expect(await names('unknown')).toEqual([file])
  expect((await all(site.name)).map(({ name }) => name)).toEqual([failed.name])
  t.pass(2 * dayMs)
  await backupSweep(t.deps).run()
  expect(await names('unknown')).toEqual([])
  expect(await all(site.name)).toEqual([])
})

test('a scheduled backup that can’t begin is listed as failed, and told', async () => {
  const site = await t.live('unstored')
  const { name } = await schedule(site, { every: 'hour', at: '00:30' })
  await transaction(systemSession(), (tx) =>
    tx.update(BackupScheduleDoctype, name, { store: 'gone123456' }, { hooks: false, activity: false }),
  )
  t.pass(3_600_000)
  await backupSchedules(t.deps).run()
  expect(await all(site.name)).toMatchObject([
    { kind: 'scheduled', status: 'Failed', error_message: expect.any(String) },
  ])
  expect((await t.siteNow(site.name))?.backup_failed_at).not.toBeNull()
  const [entry] = await transaction(systemSession(), (tx) =>
    tx.list(ActivityDoctype, [['action', '=', 'Site.backup_failed']]),
  )
  expect(entry && notableIn(entry)).toEqual({ event: 'backup_failed', severity: 'critical' })
  await t.deps.documents().delete(t.owner, 'Backup Schedule', name)
})

test('schedules go on after a clock was ahead for a while', async () => {
  const site = await t.live('ahead')
  const { name } = await schedule(site, { every: 'hour', at: '00:00' })
  const read = () => transaction(systemSession(), (tx) => tx.get(BackupScheduleDoctype, name))
  t.pass(400 * dayMs)
  await backupSchedules(t.deps).run()
  t.pass(-400 * dayMs)
  await backupSchedules(t.deps).run()
  expect((await read())?.next_run?.localeCompare(formatTimestamp(now() + 3_600_001))).toBe(-1)
})
