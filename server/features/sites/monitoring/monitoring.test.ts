import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { MethodContext } from '#server/contracts/method.ts'
import type { HostedSite } from '#server/engines/site-host.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { formatTimestamp, parseTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { ActivityDoctype, type Activity } from '#shared/doctypes/activity.ts'
import { activityWording } from '#shared/activity-wording.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import type { RecentUptime, Uptime } from '#shared/responses/uptime.ts'
import { uptimeRangeKeys, uptimeRanges, uptimeStates } from '#shared/rules/uptime.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { checkSites, type QuietSites } from './check-sites.ts'
import { closeIncidents, noChange, openIncident } from './incidents.ts'
import { readUptime } from './read-uptime.ts'
import { recentUptimeMethod } from './recent-uptime.ts'
import { deleteOldUptime, writeSamples, type UptimeSample } from './uptime-tables.ts'

let t: TestSites
let site: Site
let sites = 0
let quiet: QuietSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())
beforeEach(async () => {
  sites += 1
  quiet = new Map()
  site = await t.live(`watched-${sites}`)
})
afterEach(() => vi.restoreAllMocks())

const minute = 60_000
const failure = { status: 500, body: '' }
const now = () => t.deps.clock?.now() ?? 0
const system = <T>(work: Parameters<TestSites['running']['documents']['transaction']>[1]) =>
  t.running.documents.transaction(systemSession(), work) as Promise<T>
const uptime = async (range = '24h') => (await t.act(site.name, 'uptime', { range })) as unknown as Uptime
const round = async () => {
  t.pass(minute)
  await checkSites(t.deps, t.host, quiet)
}
/** The engine says this of the site, and that all others sleep. */
const engineSays = async (state: HostedSite['state']) => {
  const all = await t.engine.host.sites(thisMachine)
  vi.spyOn(t.engine.host, 'sites').mockResolvedValue(
    all.map((one) => ({ ...one, state: one.id === site.name ? state : 'asleep' })),
  )
}
const totals = async () => {
  const { up, slow, down, asleep, paused } = (await uptime()).totals
  return { up, slow, down, asleep, paused }
}
const none = { up: 0, slow: 0, down: 0, asleep: 0, paused: 0 }

describe('a round of checks', () => {
  test('measures sites that are awake, with one request each', async () => {
    await engineSays('running')
    t.engine.calls.length = 0
    t.engine.answers.push({ status: 200, body: 'fine' })
    await round()
    expect(t.engine.calls).toEqual([`request ${site.domain}`])
    const { totals: found, buckets } = await uptime()
    expect(found).toMatchObject({ ...none, up: 1, availability: 1, median_ms: 12, p95_ms: 12, ttfb_ms: 8 })
    expect(buckets).toHaveLength(1)
  })

  test('leaves sleeping sites alone, repeats their state every five minutes, and counts it as no failure', async () => {
    await engineSays('asleep')
    t.engine.calls.length = 0
    for (let n = 0; n < 11; n += 1) await round()
    expect(t.engine.calls).toEqual([])
    expect(await totals()).toEqual({ ...none, asleep: 3 })
    expect((await uptime()).totals.availability).toBeNull()
  })

  test('a failed check counts once a second one failed too', async () => {
    await engineSays('running')
    t.engine.answers.push(failure, { status: 200, body: 'fine' })
    await round()
    expect(await totals()).toEqual({ ...none, up: 1 })
    t.engine.answers.push(failure, failure)
    await round()
    expect(await totals()).toEqual({ ...none, up: 1, down: 1 })
    expect((await uptime()).totals.availability).toBe(0.5)
    expect(await t.siteNow(site.name)).toMatchObject({
      health: 'Down',
      failure_reason: 'The page answered with status 500.',
    })
  })

  const to = (location: string) => ({ status: 302, body: '', headers: { location } })
  const loop = [to('/a'), to('/b'), to('/a')]
  test.each([
    ['an empty page', [{ status: 200, body: ' \n' }], 'The page is empty.'],
    ['a page that is not found', [{ status: 404, body: 'Nothing here' }], 'The page answered with status 404.'],
    ['redirects in a loop', loop, 'The page redirects in a loop.'],
    ['a redirect to an error', [to('/start'), failure], 'The page answered with status 500.'],
  ])('%s is down, as a visitor sees it', async (_what, answers, reason) => {
    await engineSays('running')
    t.engine.answers.push(...answers, ...answers)
    await round()
    expect(await totals()).toEqual({ ...none, down: 1 })
    expect(await t.siteNow(site.name)).toMatchObject({ health: 'Down', failure_reason: reason })
  })

  test('a redirect within the site is followed, and its page is what counts; one that leads elsewhere is an answer', async () => {
    await engineSays('running')
    await t.act(site.name, 'set_uptime_keyword', { keyword: 'Welcome' })
    t.engine.answers.push(to('/en/'), { status: 200, body: '<h1>Welcome</h1>' })
    await round()
    expect((await uptime()).totals).toMatchObject({ ...none, up: 1 })
    await t.act(site.name, 'set_uptime_keyword', { keyword: '' })
    t.engine.answers.push(to('https://elsewhere.example/'))
    await round()
    expect((await uptime()).totals).toMatchObject({ ...none, up: 2 })
  })

  test('slow is no failure', async () => {
    await engineSays('running')
    t.engine.answers.push({ status: 200, body: 'ok', tookMs: 3_500 })
    await round()
    expect((await uptime()).totals).toMatchObject({ ...none, slow: 1, availability: 1 })
  })

  test('maintenance, suspended and a job that holds the site are pauses', async () => {
    await engineSays('running')
    const { name: site_name } = site
    for (const values of [{ maintenance: 1 as const }, { maintenance: 0 as const, status: 'Suspended' as const }]) {
      await system((tx) => tx.updateColumns(SiteDoctype, site_name, values))
      quiet.clear()
      await round()
    }
    expect(await totals()).toEqual({ ...none, paused: 2 })
  })

  test('a site that keeps crashing is down without being requested', async () => {
    await engineSays('crashed')
    t.engine.calls.length = 0
    await round()
    expect(t.engine.calls).toEqual([])
    expect(await totals()).toEqual({ ...none, down: 1 })
  })
})

describe('the keyword', () => {
  test('has to be in the page, as the visitor reads it', async () => {
    await engineSays('running')
    await t.act(site.name, 'set_uptime_keyword', { keyword: ' Tom & Jerry ' })
    expect(await t.siteNow(site.name)).toMatchObject({ uptime_keyword: 'Tom & Jerry' })
    t.engine.answers.push({ status: 200, body: '<h1>Tom &amp; Jerry</h1>' })
    await round()
    t.engine.answers.push({ status: 200, body: 'hacked' }, { status: 200, body: 'hacked' })
    await round()
    expect(await totals()).toEqual({ ...none, up: 1, down: 1 })
    expect((await uptime()).incidents[0]?.reason).toBe('The page does not contain “Tom & Jerry”.')
    await t.act(site.name, 'set_uptime_keyword', { keyword: '' })
    expect(await t.siteNow(site.name)).toMatchObject({ uptime_keyword: null })
  })

  test('is a single line', async () => {
    expect(await rejectionOf(t.act(site.name, 'set_uptime_keyword', { keyword: 'a\u0007b' }))).toMatchObject({
      code: 'invalid',
    })
  })
})

describe('incidents', () => {
  test('begin with the confirmed failure, name the last change, and end with the next answer', async () => {
    await engineSays('running')
    await t.act(site.name, 'flush_cache')
    await t.act(site.name, 'set_uptime_keyword', { keyword: '' })
    expect(noChange.filter((action) => activityWording(action) === undefined)).toEqual([])
    const { name: reference_name, organization } = site
    await system(async (tx) => {
      for (const action of noChange)
        await tx.activity({ action, reference_doctype: 'Site', reference_name, organization: organization ?? null })
    })
    // Entries have the time of the database's process, not of this test's clock.
    t.pass(minute)
    t.engine.answers.push(failure, failure)
    await round()
    const [open] = (await uptime()).incidents
    expect(open).toMatchObject({ ended: null, reason: 'The page answered with status 500.' })
    const change = await system<{ action: string } | null>((tx) => tx.get('Activity', open?.change ?? ''))
    expect(change).toMatchObject({ action: 'Site.flush_cache' })
    t.engine.answers.push(failure, failure)
    await round()
    expect((await uptime()).incidents).toHaveLength(1)
    await round()
    const [ended, ...others] = (await uptime()).incidents
    expect(others).toEqual([])
    expect(ended?.started).toBe(open?.started)
    expect(parseTimestamp(ended?.ended ?? '') - parseTimestamp(ended?.started ?? '')).toBe(2 * minute)
    const entries = await system<Activity[]>((tx) =>
      tx.list(
        ActivityDoctype,
        [
          ['reference_name', '=', site.name],
          ['action', 'in', ['Site.went_down', 'Site.came_up']],
        ],
        { order_by: 'sequence asc' },
      ),
    )
    // The first of each is one of those above, which change nothing.
    expect(entries.slice(2).map(({ action, result, detail }) => [action, result, detail])).toEqual([
      ['Site.went_down', 'Failed', 'The page answered with status 500.'],
      ['Site.came_up', 'Done', 'after 2 minutes'],
    ])
  })

  test('a crash opens one immediately', async () => {
    t.engine.emit({ id: site.name, event: 'crash', reason: msg`PHP ran out of memory.` })
    await expect
      .poll(async () => (await uptime()).incidents)
      .toMatchObject([{ ended: null, reason: 'PHP ran out of memory.' }])
  })

  test('maintenance ends one, a job does not', async () => {
    await engineSays('running')
    t.engine.answers.push(failure, failure)
    await round()
    await system((tx) => tx.updateColumns(SiteDoctype, site.name, { status: 'Updating' }))
    await round()
    expect((await uptime()).incidents).toMatchObject([{ ended: null }])
    await system((tx) => tx.updateColumns(SiteDoctype, site.name, { status: 'Live', maintenance: 1 }))
    await round()
    expect((await uptime()).incidents).toMatchObject([{ ended: expect.any(String) as string }])
  })

  test('never overlap, whatever happens in which order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), async (events) => {
        await system(async (tx) => {
          for (const down of events) {
            t.pass(minute)
            const at = formatTimestamp(now())
            if (down) await openIncident(tx, site, at, msg`Down.`)
            else await closeIncidents(tx, [site.name], at)
          }
        })
        const incidents = (await uptime('7d')).incidents.toReversed()
        for (const [at, { ended }] of incidents.entries()) {
          const next = incidents[at + 1]
          if (next) expect(ended !== null && ended <= next.started).toBe(true)
        }
      }),
      { numRuns: 12 },
    )
  })
})

describe('what is read', () => {
  const sample = (secondsAgo: number, state: UptimeSample['state'], ms: number): UptimeSample => ({
    site: site.name,
    at: formatTimestamp(now() - secondsAgo * 1000),
    state,
    status: null,
    ttfbMs: ms / 2,
    totalMs: state === 'up' || state === 'slow' ? ms : null,
  })

  test('the last day of several sites, by the hour: the worst of each, and nothing of sites that one cannot read', async () => {
    const other = await t.live(`quiet-${sites}`)
    const hour = Math.floor(now() / 1000) % 3600
    await system((tx) =>
      writeSamples(tx, [
        ...[sample(hour, 'up', 100), sample(hour + 1, 'up', 100), sample(hour + 2, 'down', 0)],
        ...[sample(hour + 3601, 'slow', 3000), sample(25 * 3600, 'down', 0)],
      ]),
    )
    const recent = (names: readonly string[], session = t.owner) =>
      recentUptimeMethod(t.deps).run({ sites: [...names] }, {
        session,
        documents: t.running.documents,
      } as unknown as MethodContext) as Promise<(RecentUptime | null)[]>
    const [found, quiet, gone] = await recent([site.name, other.name, 'none'])
    expect(gone).toBeNull()
    expect(quiet).toMatchObject({ availability: null })
    expect(new Set(quiet?.states)).toEqual(new Set([null]))
    expect(found?.states).toHaveLength(24)
    expect(found?.states.at(-1)).toBe('up')
    expect(found?.states.filter((state) => state !== null)).toEqual(['slow', 'down', 'up'])
    expect(found?.ms.filter((ms) => ms !== null)).toEqual([3000, 100, 100])
    expect(found?.availability).toBe(3 / 4)
    expect(await recent([site.name], t.other)).toEqual([null])
  })

  test.each(uptimeRangeKeys)('%s: the intervals add up to the samples in the range, in order', async (range) => {
    const { seconds, bucket } = uptimeRanges[range]
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            ago: fc.integer({ min: 0, max: seconds - 1 }),
            state: fc.constantFrom(...uptimeStates),
            ms: fc.integer({ min: 1, max: 60_000 }),
          }),
          { selector: ({ ago }) => ago, maxLength: 60 },
        ),
        async (given) => {
          const found = await system<Uptime>(async (tx) => {
            await tx.trx.deleteFrom('easydash_site_uptime').where('site', '=', site.name).execute()
            await writeSamples(tx, [
              ...given.map(({ ago, state, ms }) => sample(ago, state, ms)),
              sample(seconds + 2 * bucket, 'up', 1),
            ])
            return readUptime(tx, site.name, range, now())
          })
          for (const state of uptimeStates) {
            const expected = given.filter((one) => one.state === state).length
            expect(found.totals[state]).toBe(expected)
            expect(found.buckets.reduce((sum, one) => sum + one[state], 0)).toBe(expected)
          }
          expect(found.buckets.length).toBeLessThanOrEqual(300)
          const starts = found.buckets.map(({ at }) => at)
          expect(starts).toEqual([...new Set(starts)].toSorted((a, b) => a - b))
          for (const at of starts) expect([at % bucket, at >= found.from]).toEqual([0, true])
        },
      ),
      { numRuns: 8 },
    )
  })

  test('old samples and incidents are deleted, open incidents are not', async () => {
    await system(async (tx) => {
      await writeSamples(tx, [sample(9 * 86_400, 'up', 1), sample(60, 'up', 1)])
      await openIncident(tx, site, formatTimestamp(now() - 200 * 86_400_000), msg`Old.`)
      await closeIncidents(tx, [site.name], formatTimestamp(now() - 100 * 86_400_000))
      await openIncident(tx, site, formatTimestamp(now() - 99 * 86_400_000), msg`Open.`)
      expect(await deleteOldUptime(tx, now())).toBe(2)
    })
    expect(await uptime('7d')).toMatchObject({ totals: { up: 1 }, incidents: [{ reason: 'Open.', ended: null }] })
  })

  test('samples of a site that was deleted meanwhile are left out', async () => {
    await system((tx) => writeSamples(tx, [{ ...sample(1, 'up', 1), site: 'gone' }, sample(1, 'up', 1)]))
    expect(await totals()).toEqual({ ...none, up: 1 })
  })

  test('a check on request is stored, and nobody else’s organization can ask for it', async () => {
    t.engine.answers.push({ status: 200, body: 'fine' })
    expect(await t.act(site.name, 'check_now')).toEqual({ state: 'up', status: 200, total_ms: 12 })
    expect(await totals()).toEqual({ ...none, up: 1 })
    for (const action of ['uptime', 'check_now'])
      expect(await rejectionOf(t.act(site.name, action, {}, t.other))).not.toBeNull()
  })
})
