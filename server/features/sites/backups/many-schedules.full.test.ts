/** 1,000 hourly schedules in the database, each looked at when it is due, in a process that stops now and then. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Documents } from '#server/contracts/documents.ts'
import { systemSession } from '#server/jobs/session.ts'
import { BackupScheduleDoctype } from '#shared/doctypes/backup-schedule.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { backupSchedules } from './backup-schedules.ts'
import { nextRun } from './local-time.ts'

const minute = 60_000
const hour = 60 * minute
const count = 1_000
const hours = 6
/** Number in the name of the first site. */
const first = 100_000_000
const zones = ['Etc/UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu']

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(async () => {
  await t?.close()
})

const transaction: Documents['transaction'] = (_session, work) => t.deps.documents().transaction(systemSession(), work)

test(`${count} hourly schedules over ${hours} hours: none is lost, none made twice`, async () => {
  await t.live('one')
  t.pass(minute - ((t.deps.clock?.now() ?? 0) % minute))
  const now = () => t.deps.clock?.now() ?? 0
  const schedules = new Map<string, { every: 'hour'; at: string; time_zone: string }>()
  // Nothing creates them: they are there.
  await transaction(systemSession(), async ({ trx }) => {
    const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
      where table_name = 'tab_site' and is_generated = 'NEVER' and column_name not in ('name', 'domain')`.execute(trx)
    const others = sql.join(rows.map(({ name }) => sql.ref(name)))
    await sql`insert into tab_site (name, domain, ${others}) select 's' || number, 'site' || number, ${others}
      from tab_site, generate_series(${first}::int, ${first + count - 1}::int) number`.execute(trx)
  })
  for (let at = 0; at < count; at += 1) {
    const schedule = {
      every: 'hour' as const,
      at: `00:${String((at * 7) % 60).padStart(2, '0')}`,
      time_zone: zones[at % zones.length] ?? '',
    }
    const site = `s${first + at}`
    await t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', site, ...schedule })
    schedules.set(site, schedule)
  }
  const jobs = { ...t.deps.jobs(), enqueue: () => Promise.resolve('job') }
  const work = backupSchedules({ ...t.deps, jobs: () => jobs })
  const start = now()
  let [since, made, looks] = [start, 0, 0]
  while (since < start + hours * hour) {
    // Stops: what passed is made up for once, for all of them at the same moment.
    t.pass([100, 170].includes(looks) ? hour + 11 * minute : minute)
    looks += 1
    const due = [...schedules].flatMap(([name, schedule]) => (nextRun(schedule, since) <= now() ? [name] : []))
    since = now()
    await work.run()
    const begun = await transaction(systemSession(), async (tx) => {
      const found = await tx.listFields(SiteBackupDoctype, ['site'], [['status', '=', 'Queued']], { limit: 0 })
      await tx.deleteWhere(SiteBackupDoctype, [['status', '=', 'Queued']])
      return found.map(({ site }) => site)
    })
    expect(begun.toSorted()).toEqual(due.toSorted())
    made += begun.length
  }
  expect(made).toBeGreaterThan(3 * count)
  expect(await transaction(systemSession(), (tx) => tx.count(BackupScheduleDoctype, []))).toBe(count)
}, 1_800_000)
