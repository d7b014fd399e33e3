import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { backupSchedules } from './backup-schedules.ts'
import { dueBackupMethod } from './due-backups.ts'

const hour = 3_600_000
let t: TestSites
let sites: Site[]

beforeAll(async () => {
  t = await openTestSites()
  sites = await Promise.all(['one', 'two', 'three'].map((domain) => t.live(domain)))
})
afterAll(async () => {
  await t?.close()
})

const made = (): Promise<SiteBackup[]> =>
  t.deps.documents().transaction(systemSession(), (tx) => tx.list(SiteBackupDoctype, []))
const unfinished = async () => (await made()).filter(({ status }) => status === 'Queued' || status === 'Running')
/** Each look is one of another process, as after a restart. */
const look = () => backupSchedules(t.deps).run()
const due = (site: string) =>
  dueBackupMethod(t.deps).run({ site }, { session: t.owner, documents: t.running.documents } as never)
const insert = (values: object) =>
  t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', ...values })
const timeAt = (ms: number) => new Date((t.deps.clock?.now() ?? 0) + ms).toISOString().slice(11, 16)

/** Keeps backups from ending until the returned function has the oldest one end. */
function holdBackups(): () => Promise<void> {
  const held: PromiseWithResolvers<void>[] = []
  const { packed } = t.engine.backups
  vi.spyOn(t.engine.backups, 'packed').mockImplementation(async (of) => {
    const one = Promise.withResolvers<void>()
    held.push(one)
    await one.promise
    return packed(of)
  })
  return async () => {
    const [oldest] = await unfinished()
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(0), { timeout: 60_000 })
    held.shift()?.resolve()
    await vi.waitFor(
      async () => expect((await made()).find(({ name }) => name === oldest?.name)?.status).toBe('Ready'),
      { timeout: 60_000 },
    )
  }
}

test('sites wait for the limit of their server, and then begin once, in the order in which they were due', async () => {
  const schedule = await insert({ every: 'hour', at: timeAt(0), per_server: 1 })
  const own = await insert({ every: 'day', at: timeAt(hour + 60_000), site: sites[0]?.name })
  const endOne = holdBackups()
  t.pass(hour)
  await Promise.all([look(), look()])
  expect(await made()).toHaveLength(1)
  const [first] = await made()
  for (const { name } of sites)
    expect(await due(name)).toEqual(
      // One is being made, and that of the site with a schedule of its own is not due yet.
      name === first?.site || name === sites[0]?.name
        ? { since: null, waits_for: null, limit: 0 }
        : { since: expect.any(String) as string, waits_for: 'server', limit: 1 },
    )
  // That of a single site is due now, too, and the others are due again.
  t.pass(hour + 60_000)
  for (let begun = 2; begun <= 4; begun += 1) {
    await look()
    expect(await unfinished()).toHaveLength(1)
    await endOne()
    await look()
    expect([(await made()).length, (await unfinished()).length]).toEqual([begun, 1])
  }
  const order = (await made()).map(({ site }) => site)
  expect(new Set(order.slice(0, 2))).toEqual(new Set([sites[1]?.name, sites[2]?.name]))
  // One waited so long that it was due twice, and begins once.
  expect(new Set(order.slice(2))).toEqual(new Set([order[0], sites[0]?.name]))
  await endOne()
  await look()
  expect(await made()).toHaveLength(4)
  for (const { name } of [schedule, own]) await t.deps.documents().delete(t.owner, 'Backup Schedule', name)
  vi.restoreAllMocks()
})

test('what could not begin within the hours of a schedule begins in the next ones', async () => {
  const at = timeAt(60_000)
  const times = { at, window_from: timeAt(0), window_until: timeAt(2 * hour) }
  const schedule = await insert({ every: 'day', ...times })
  const before = (await made()).length
  // Easydash does not run at that time.
  t.pass(3 * hour)
  await look()
  t.pass(60_000)
  await look()
  expect(await made()).toHaveLength(before)
  expect(await due(sites[0]?.name ?? '')).toMatchObject({ waits_for: 'hours' })
  t.pass(21 * hour - 60_000)
  await look()
  expect(await unfinished()).toHaveLength(3)
  await vi.waitFor(async () => expect(await unfinished()).toEqual([]), { timeout: 60_000 })
  await t.deps.documents().delete(t.owner, 'Backup Schedule', schedule.name)
})

test('a site that is due no longer waits once its schedule is off', async () => {
  const schedule = await insert({ every: 'hour', at: timeAt(0), per_server: 1 })
  const endOne = holdBackups()
  t.pass(hour)
  await look()
  const before = await made()
  await t.deps.documents().save(t.owner, 'Backup Schedule', schedule.name, { enabled: 0 })
  await endOne()
  await look()
  await look()
  expect(await made()).toHaveLength(before.length)
  await t.deps.documents().delete(t.owner, 'Backup Schedule', schedule.name)
  vi.restoreAllMocks()
})

test.each([
  ['window_until', { window_from: '22:00' }],
  ['window_until', { window_from: '22:00', window_until: '22:30' }],
  ['at', { window_from: '22:00', window_until: '06:00', at: '12:00' }],
  ['spread', { window_from: '22:00', window_until: '06:00', at: '05:30', spread: 60 }],
  ['at', { at: '3:00' }],
  ['per_server', { per_server: 51 }],
])('a schedule that could not be kept is refused: %s of %j', async (field, values) => {
  expect(await rejectionOf(insert(values))).toMatchObject({ code: 'invalid', field })
})

test('a limit is that of the organization', async () => {
  expect(await rejectionOf(insert({ site: sites[0]?.name, per_server: 1 }))).toMatchObject({ field: 'per_server' })
})
