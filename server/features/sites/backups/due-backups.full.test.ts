/** Schedules over days of minutes, in a process that ends again and again. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Documents } from '#server/contracts/documents.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import type { SitesDeps } from '../deps.ts'
import { backupSchedules } from './backup-schedules.ts'
import { dueBackups } from './due-backups.ts'
import { dueSince, isOpen, nextCheck, nextRun } from './local-time.ts'

const minute = 60_000
let t: TestSites
let sites: Site[]

beforeAll(async () => {
  t = await openTestSites()
  sites = await Promise.all(['one', 'two', 'three', 'four', 'five', 'six'].map((domain) => t.live(domain)))
})
afterAll(async () => {
  await t?.close()
})

/** Sites that are due and have not begun. */
const waiting = () =>
  t.deps.documents().transaction(systemSession(), async (tx) => (await dueBackups(tx)).map(({ site }) => site))

/** The same numbers in each run: 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** Documents of a process that ends after some of its transactions, committed or not. */
function ending(documents: Documents, random: () => number): { documents: Documents; isEnded: () => boolean } {
  let isEnded = false
  const end = () => {
    isEnded ||= random() < 0.04
    if (isEnded) throw new Error('The process ended')
  }
  const transaction: Documents['transaction'] = async (session, work) => {
    end()
    const result = await documents.transaction(session, async (tx) => {
      const worked = await work(tx)
      end()
      return worked
    })
    end()
    return result
  }
  const proxy = new Proxy(documents, {
    get: (of, name) => (name === 'transaction' ? transaction : (Reflect.get(of, name) as unknown)),
  })
  return { documents: proxy, isEnded: () => isEnded }
}

test('two at a time on a server, in some hours, with ends of the process: none is lost, none made twice', async () => {
  const random = numbers(7)
  const clock = () => t.deps.clock?.now() ?? 0
  // At a whole minute, so that each site's time is one.
  t.pass(minute - (clock() % minute))
  const start = clock()
  const hours = { window_from: '20:00', window_until: '09:30' }
  const insert = (values: object) =>
    t.deps.documents().insert(t.owner, 'Backup Schedule', { organization: 'acme', every: 'hour', ...values })
  const shared = { every: 'hour' as const, at: '00:20', time_zone: 'Europe/Berlin', spread: 30, ...hours }
  await insert({ ...shared, per_server: 2 })
  const own = { every: 'hour' as const, at: '00:05', time_zone: 'Asia/Kathmandu', spread: 0 }
  await insert({ ...own, site: sites[0]?.name })
  const begun = new Map<string, number[]>(sites.map(({ name }) => [name, []]))
  const seen = new Map<string, number>()
  const read = () =>
    t.deps.documents().transaction(systemSession(), (tx) => tx.listFields(SiteBackupDoctype, ['name', 'site'], []))
  /** One process of at most one look; afterward those that ran long enough end. */
  async function look(): Promise<{ isEnded: boolean }> {
    const { documents, isEnded } = ending(t.deps.documents(), random)
    const jobs = { ...t.deps.jobs(), enqueue: () => Promise.resolve('job') }
    const deps: SitesDeps = { ...t.deps, documents: () => documents, jobs: () => jobs }
    await backupSchedules(deps)
      .run()
      .catch(() => undefined)
    for (const { name, site } of (await read()).filter((backup) => !seen.has(backup.name))) {
      seen.set(name, clock() + Math.floor(random() * 25) * minute)
      begun.get(site)?.push(clock())
    }
    const running = [...seen].filter(([, until]) => until > clock())
    expect(running.length).toBeLessThanOrEqual(2)
    await t.deps.documents().transaction(systemSession(), (tx) =>
      tx.updateWhere(SiteBackupDoctype, [['name', 'not in', ['', ...running.map(([name]) => name)]]], {
        status: 'Ready',
      }),
    )
    return { isEnded: isEnded() }
  }
  const lastDue = new Map<string, number>()
  while (clock() < start + 50 * 60 * minute) {
    const since = clock()
    t.pass(random() < 0.01 ? 90 * minute : minute)
    for (const [at, { name }] of sites.entries())
      if (dueSince(at === 0 ? own : shared, since, clock())(name)) lastDue.set(name, clock())
    if ((await look()).isEnded) continue
    // What was due has begun since then, or waits.
    const waits = new Set(await waiting())
    const lost = [...lastDue].filter(([name, time]) => !waits.has(name) && (begun.get(name)?.at(-1) ?? 0) < time)
    expect(lost).toEqual([])
  }
  const end = clock()
  for (const [at, { name }] of sites.entries()) {
    const schedule = at === 0 ? own : shared
    const due: number[] = []
    for (let from = start; from < end; from += minute)
      if (dueSince(schedule, from, from + minute)(name)) due.push(from + minute)
    const times = begun.get(name) ?? []
    expect(due.length).toBeGreaterThan(20)
    // Each begin is the first one after a time of its own.
    const count = (time: number) => due.filter((one) => one <= time).length
    expect(new Set(times.map(count)).size).toBe(times.length)
    // Of what was due before, only the last can still wait.
    expect(times.length).toBeGreaterThan(due.length / 4)
    // Checks begin what is due up to two minutes after the last of the hours.
    for (const time of times) expect(isOpen(schedule, time) || isOpen(schedule, time - 2 * minute)).toBe(true)
  }
  // Nothing is due any more, and what still waits begins.
  await t.deps
    .documents()
    .transaction(systemSession(), (tx) => sql`update tab_backup_schedule set next_run = '2999-01-01'`.execute(tx.trx))
  const before = [...begun].map(([name, times]) => [name, times.length] as const)
  const left = await waiting()
  for (let looks = 0; looks < 24 * 60 && (await waiting()).length > 0; looks += 1) {
    t.pass(minute)
    await look()
  }
  expect(await waiting()).toEqual([])
  for (const [name, times] of before)
    expect([name, begun.get(name)?.length]).toEqual([name, times + (left.includes(name) ? 1 : 0)])
})

test('1,000 hourly schedules over 30 days, in a process that stops: none is lost, none made twice', () => {
  const random = numbers(3)
  const zones = ['Etc/UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu']
  const start = Date.parse('2026-03-15T00:00Z')
  const [end, stops] = [start + 30 * 86_400_000, [3, 11, 12, 20].map((day) => start + day * 86_400_000)]
  let made = 0
  for (let number = 0; number < 1_000; number += 1) {
    const hours = number % 3 === 0 ? { window_from: '21:30', window_until: '05:15' } : {}
    const at = `00:${String(number % 60).padStart(2, '0')}`
    const schedule = {
      every: 'hour' as const,
      at,
      time_zone: zones[number % zones.length] ?? null,
      spread: 0,
      ...hours,
    }
    const begun: number[] = []
    const missed: number[] = []
    for (let since = start, now = nextCheck(schedule, since); now < end; now = nextCheck(schedule, since)) {
      const stop = stops.find((one) => since < one && one <= now)
      const look =
        stop === undefined ? now + Math.floor(random() * minute) : stop + Math.floor(random() * 8 * 60) * minute
      const isLate = look >= now + minute
      if (dueSince(schedule, since, look)('site')) (isLate ? missed : begun).push(look)
      since = Math.max(look, since + 1)
    }
    made += begun.length
    // As often as there are times, but for those that passed during the stops, each of which is made up for once.
    const due: number[] = []
    for (let time = nextRun(schedule, start); time < end; time = nextRun(schedule, time))
      if (isOpen(schedule, time)) due.push(time)
    const times = [...begun, ...missed]
    const count = (time: number) => due.filter((one) => one <= time).length
    expect(new Set(times.map(count)).size).toBe(times.length)
    expect(missed.length).toBeLessThanOrEqual(stops.length)
    expect(times.length).toBeGreaterThanOrEqual(due.length - stops.length * 8)
    for (const time of begun) expect(due).toContain(Math.floor(time / minute) * minute)
  }
  expect(made).toBeGreaterThan(400_000)
})
