import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MethodContext } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { BackupScheduleDoctype } from '#shared/doctypes/backup-schedule.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { notableIn } from '#shared/rules/notification-events.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { backupSchedules } from './backup-schedules.ts'
import { previewRetentionMethod } from './preview-retention.ts'
import { backupSweep } from './backup-sweep.ts'
import { dueBackupMethod } from './due-backups.ts'
import { proofDocumentMethod } from './proof-document.ts'

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
  expect(await t.end(restored as { job: string })).toMatchObject({ status: 'Done', error_message: null })
  t.pass(3_600_000)
  const second = await backUp(site)
  await backupSweep(t.deps).run()
  expect((await all(site.name)).map(({ name }) => name)).toEqual([first, second])
  const undo = await t.deps.documents().runAction(t.owner, 'Site Backup', first, 'undo_restore', {})
  expect(await t.end(undo as { job: string })).toMatchObject({ status: 'Done', error_message: null })
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

test('the schedule of an organization says what it would delete of all sites that have none of their own', async () => {
  const sites = [await t.live('first'), await t.live('second'), await t.live('third')]
  await schedule(sites[2] as Site, { enabled: 0 })
  const insert = (site: string, taken: string) =>
    transaction(systemSession(), (tx) =>
      tx.insert('Site Backup', { organization: 'acme', site, status: 'Ready', taken_at: `${taken}.000000` }),
    )
  // In Berlin, the later ones of each site are of the next day.
  for (const { name } of sites)
    for (const time of ['12:00:00', '22:00:00', '23:30:00']) await insert(name, `2026-01-01 ${time}`)
  const asked = (session: Session, values: object) =>
    previewRetentionMethod.run({ keep_daily: 10, ...values }, {
      session,
      documents: t.deps.documents(),
    } as unknown as MethodContext) as Promise<{ keep: string[]; delete: string[] }>
  const count = ({ keep, delete: gone }: { keep: string[]; delete: string[] }) => [keep.length, gone.length]
  expect(count(await asked(t.owner, { organization: 'acme' }))).toEqual([2, 4])
  expect(count(await asked(t.owner, { organization: 'acme', time_zone: 'Europe/Berlin' }))).toEqual([4, 2])
  expect(count(await asked(t.owner, { site: sites[2]?.name }))).toEqual([1, 2])
  for (const values of [{ organization: 'acme' }, { site: sites[0]?.name }])
    expect(['not_found', 'forbidden']).toContain((await rejectionOf(asked(t.other, values)))?.code)
  expect(await rejectionOf(asked(t.owner, {}))).toMatchObject({ code: 'invalid' })
  const context = { session: t.other, documents: t.deps.documents() } as unknown as MethodContext
  const [backup] = await all(sites[0]?.name ?? '')
  const calls = [
    async () => dueBackupMethod(t.deps).run({ site: sites[0]?.name }, context),
    async () => proofDocumentMethod(t.deps).run({ backup: backup?.name, as: 'json' }, context),
  ]
  for (const call of calls) expect(['not_found', 'forbidden']).toContain((await rejectionOf(call()))?.code)
})

test('of two restores of a site at once one waits for the other, and a site that got the name of another is none of its', async () => {
  const site = await t.live('reused')
  const backups = [await backUp(site), await backUp(site)]
  const restore = (name: string, args: Record<string, unknown>) =>
    t.deps.documents().runAction(t.owner, 'Site Backup', name, 'restore', args)
  // Whoever comes second waits for the first.
  const { restoreSteps } = t.engine.restores
  let [active, most] = [0, 0]
  t.engine.restores.restoreSteps = (...args) =>
    restoreSteps(...args).map((step) => ({
      ...step,
      async run(own) {
        active += 1
        most = Math.max(most, active)
        await step.run(own).finally(() => (active -= 1))
      },
    }))
  const jobs = await Promise.all(backups.map((name) => restore(name, { what: 'files' }) as Promise<{ job: string }>))
  const ends = await Promise.all(jobs.map((one) => t.end(one)))
  expect(ends.map(({ status, error_message: problem }) => [status, problem])).toEqual([
    ['Done', null],
    ['Done', null],
  ])
  expect(most).toBe(1)
  t.engine.restores.restoreSteps = restoreSteps

  for (const action of ['archive', 'delete_permanently'])
    await t.end((await t.act(site.name, action, { confirm_name: 'reused' })) as { job: string })
  const other = await t.live('reused', { title: 'Another one' })
  expect(await rejectionOf(restore(backups[0] ?? '', { what: 'all' }))).toMatchObject({
    message: 'The site of this backup no longer exists.',
  })
  const made = (await restore(backups[0] ?? '', { target: 'new_site', domain: 'again' })) as {
    job: string
    site: string
  }
  expect(await t.end(made)).toMatchObject({ status: 'Done', error_message: null })
  expect(await t.siteNow(other.name)).toMatchObject({ domain: 'reused', title: 'Another one', restored_from: null })
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

test('backups say until when they are kept; those of a site that is gone end then, but for the last proven one', async () => {
  // Between midnight and three, the schedule's own backup of the day is still to come.
  t.pass(dayMs / 2 - (now() % dayMs))
  const site = await t.live('kept')
  const own = await schedule(site, { ...noRetention, every: 'day', at: '03:00', keep_daily: 2, before_changes: 0 })
  const [first] = [await backUp(site), t.pass(dayMs)]
  const second = await backUp(site)
  const ends = async () => Object.fromEntries((await all(site.name)).map(({ name, expires }) => [name, expires]))
  const said = await ends()
  expect((said[first] ?? '') > formatTimestamp(now()) && (said[second] ?? '') > (said[first] ?? '')).toBe(true)
  await t.deps.documents().save(t.owner, 'Backup Schedule', own.name, { keep_daily: 5 })
  expect((await ends())[first]).toBe(`${formatTimestamp(now() + 4 * dayMs).slice(0, 10)} 03:00:00.000000`)
  await t.deps.documents().delete(t.owner, 'Backup Schedule', own.name)
  expect(await ends()).toEqual({ [first]: null, [second]: null })
  await t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', ...noRetention, keep_daily: 5 })
  await transaction(systemSession(), (tx) => tx.delete(SiteDoctype, site.name, { activity: false }))
  await backupSweep(t.deps).run()
  expect(Object.keys(await ends())).toEqual([first, second])
  t.pass(4 * dayMs)
  // A new site is being made of it.
  const making = await t.live('remade')
  const made = (values: object) =>
    transaction(systemSession(), (tx) => tx.update(SiteDoctype, making.name, values, { hooks: false, activity: false }))
  await made({ import_backup: first, locked_by_job: 'a123456789' })
  await backupSweep(t.deps).run()
  expect(Object.keys(await ends())).toEqual([first, second])
  await made({ import_backup: null, locked_by_job: null })
  await backupSweep(t.deps).run()
  expect(await ends()).toEqual({ [second]: null })
  t.pass(400 * dayMs)
  await backupSweep(t.deps).run()
  expect(await ends()).toEqual({ [second]: null })
  const [shared] = await transaction(systemSession(), (tx) =>
    tx.list(BackupScheduleDoctype, [['site', 'is', 'not set']]),
  )
  await t.deps.documents().delete(t.owner, 'Backup Schedule', shared?.name ?? '')
})
