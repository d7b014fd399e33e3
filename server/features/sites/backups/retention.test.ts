import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dueSince, isOpen, nextCheck, nextRun, offsetOf } from './local-time.ts'
import { keptUntil, retained, type Kept } from './retention.ts'

const zones = ['Etc/UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Chatham', 'Asia/Kathmandu']
const begin = Date.UTC(2026, 0, 1)
const number = fc.integer({ min: 0, max: 4 })
const retention = fc.record({
  keep_hourly: number,
  keep_daily: number,
  keep_weekly: number,
  keep_monthly: number,
  keep_yearly: number,
})
const backups = fc
  .array(
    fc.record({
      at: fc.integer({ min: begin, max: begin + 800 * 86_400_000 }),
      proof: fc.constantFrom('Proven', 'Failed', 'Not Tested'),
      pinned: fc.constantFrom<0 | 1>(0, 0, 0, 1),
    }),
    { maxLength: 60 },
  )
  .map((all) => all.map((one, at) => ({ ...one, name: `b${at}` }) satisfies Kept))

test('what retention keeps is kept again, with every pinned backup and the last proven one', () => {
  fc.assert(
    fc.property(backups, retention, fc.constantFrom(...zones), (all, wanted, zone) => {
      const kept = retained(all, wanted, zone)
      const again = all.filter(({ name }) => kept.has(name))
      expect(retained(again, wanted, zone)).toEqual(kept)
      for (const { name, pinned } of all) if (pinned === 1) expect(kept).toContain(name)
      const proven = all.filter(({ proof }) => proof === 'Proven').toSorted((a, b) => b.at - a.at)[0]
      if (proven) expect(again.some(({ proof, at }) => proof === 'Proven' && at === proven.at)).toBe(true)
      const most = Object.values(wanted).reduce((sum, one) => sum + one, 0)
      if (most > 0) expect(kept.size).toBeLessThanOrEqual(most + 1 + all.filter(({ pinned }) => pinned === 1).length)
    }),
    { numRuns: 200 },
  )
})

test('a day, a week and a month keep their newest backup', () => {
  const at = (text: string) => Date.parse(text)
  const all: Kept[] = ['2026-03-01T01:00Z', '2026-03-01T22:00Z', '2026-03-02T01:00Z', '2026-02-10T01:00Z'].map(
    (text) => ({ name: text, at: at(text), proof: 'Not Tested', pinned: 0 }),
  )
  const none = { keep_hourly: 0, keep_daily: 0, keep_weekly: 0, keep_monthly: 0, keep_yearly: 0 }
  const names = (more: Partial<typeof none>) => [...retained(all, { ...none, ...more }, 'Etc/UTC')].toSorted()
  expect(names({ keep_daily: 2 })).toEqual(['2026-03-01T22:00Z', '2026-03-02T01:00Z'])
  expect(names({ keep_weekly: 2 })).toEqual(['2026-03-01T22:00Z', '2026-03-02T01:00Z'])
  expect(names({ keep_monthly: 2 })).toEqual(['2026-02-10T01:00Z', '2026-03-02T01:00Z'])
  expect(names({})).toHaveLength(4)
})

test('a backup whose proof failed does not take the place of another one of its period', () => {
  const all: Kept[] = (
    [
      ['09:10', 'Proven'],
      ['09:20', 'Not Tested'],
      ['09:30', 'Failed'],
      ['10:30', 'Failed'],
    ] as const
  ).map(([time, proof]) => ({ name: time, at: Date.parse(`2026-03-01T${time}Z`), proof, pinned: 0 }))
  const hours = { keep_hourly: 2, keep_daily: 0, keep_weekly: 0, keep_monthly: 0, keep_yearly: 0 }
  expect([...retained(all, hours, 'Etc/UTC')].toSorted()).toEqual(['09:10', '09:20', '10:30'])
})

test('a backup is kept until the time that was said, while its schedule goes on', () => {
  const every = fc.constantFrom<'hour' | 'day' | 'week' | 'month'>('hour', 'day', 'week', 'month')
  const times = fc.record({
    every,
    at: fc.constantFrom('00:00', '03:10', '23:50'),
    time_zone: fc.constantFrom(...zones),
  })
  fc.assert(
    fc.property(
      times,
      retention,
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 0, max: 700 }),
      (when, keep, runs, day) => {
        const [schedule, zone] = [{ ...when, spread: 0, site: 'site' }, when.time_zone]
        let [at, made] = [begin + day * 86_400_000, 0]
        let all: Kept[] = []
        const run = () => {
          at = nextRun(schedule, at)
          all.push({ name: `b${(made += 1)}`, at, proof: 'Not Tested', pinned: 0 })
          const kept = retained(all, keep, zone)
          all = all.filter(({ name }) => kept.has(name))
        }
        for (let left = runs; left > 0; left -= 1) run()
        const said = keptUntil(all, keep, schedule, at + 60_000)
        expect(said.size).toBe(Object.values(keep).some((number) => number > 0) ? all.length : 0)
        const waiting = new Map(said)
        const until = at + 60 * 86_400_000
        while (waiting.size > 0 && at < until && made < runs + 800) {
          run()
          for (const [name, end] of waiting) {
            const isKept = all.some((one) => one.name === name)
            expect({ name, isKept }).toEqual({ name, isKept: end > at })
            if (!isKept) waiting.delete(name)
          }
        }
      },
    ),
    { numRuns: 100 },
  )
})

test('of a site that is gone, backups end as if it had gone on; the last proven one and the pinned ones stay', () => {
  const at = (text: string) => Date.parse(`${text}T03:00Z`)
  const made = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']
  const all = made.map((text): Kept => ({
    ...{ name: text, at: at(text), proof: text === '2026-03-03' ? 'Proven' : 'Inconclusive', pinned: 0 },
    ...(text === '2026-03-01' && { pinned: 1 }),
  }))
  const keep = { keep_hourly: 0, keep_daily: 4, keep_weekly: 0, keep_monthly: 0, keep_yearly: 0 }
  const times = { every: 'day', at: '03:00', time_zone: 'Etc/UTC', spread: 0, site: 'gone' } as const
  const dates = [...keptUntil(all, keep, times, null)].map(([name, end]) => [name, new Date(end).toISOString()])
  expect(Object.fromEntries(dates)).toEqual({
    '2026-03-02': '2026-03-06T03:00:00.000Z',
    '2026-03-04': '2026-03-08T03:00:00.000Z',
  })
})

test('a schedule always has a next time, at most one period away', () => {
  const longest = { hour: 3_600_000, day: 25 * 3_600_000, week: 8 * 86_400_000, month: 32 * 86_400_000 }
  fc.assert(
    fc.property(
      fc.constantFrom<keyof typeof longest>('hour', 'day', 'week', 'month'),
      fc.integer({ min: 0, max: 1439 }),
      fc.constantFrom(...zones),
      fc.integer({ min: begin, max: begin + 800 * 86_400_000 }),
      (every, minutes, zone, now) => {
        const two = (value: number) => String(value).padStart(2, '0')
        const at = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
        const next = nextRun({ every, at, time_zone: zone }, now)
        expect(next).toBeGreaterThan(now)
        expect(next - now).toBeLessThanOrEqual(longest[every])
      },
    ),
    { numRuns: 500 },
  )
})

test.each([
  ['day', '03:00', 'Europe/Berlin', '2026-07-01T00:30Z', '2026-07-01T01:00Z'],
  ['day', '02:30', 'Europe/Berlin', '2026-03-28T12:00Z', '2026-03-29T01:30Z'],
  ['week', '03:00', 'Etc/UTC', '2026-11-26T22:00Z', '2026-11-30T03:00Z'],
  ['month', '00:00', 'America/New_York', '2026-11-26T22:00Z', '2026-12-01T05:00Z'],
  ['hour', '00:15', 'Asia/Kathmandu', '2026-11-26T22:00Z', '2026-11-26T22:30Z'],
] as const)('every %s at %s in %s', (every, at, zone, now, next) => {
  expect(new Date(nextRun({ every, at, time_zone: zone }, Date.parse(now))).toISOString()).toBe(
    new Date(next).toISOString(),
  )
})

const spreads = fc.record({
  every: fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
  at: fc.constantFrom('00:00', '03:10', '23:50'),
  time_zone: fc.constantFrom(...zones),
  spread: fc.constantFrom(0, 7, 90, 150),
  // Of the second, only hourly ones find some of their times.
  hours: fc.constantFrom(['21:00', '06:00'] as const, ['01:30', '02:45'] as const, null),
  // Clocks are changed in one of the zones on the next days.
  from: fc.constantFrom('2026-03-07', '2026-03-28', '2026-04-04', '2026-09-26', '2026-10-24', '2026-10-31'),
})

test('each site of a schedule begins once for each of its times, at its own minute, and once for all that were missed', () => {
  fc.assert(
    fc.property(
      spreads,
      fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 3 }),
      ({ hours: all, from, ...when }, stops) => {
        const [window_from = null, window_until = null] =
          when.every === 'hour' || all?.[0] === '21:00' ? (all ?? []) : []
        const schedule = { ...when, window_from, window_until }
        const sites = ['one', 'two', 'three']
        const began = new Map(sites.map((site) => [site, [] as number[]]))
        const [hours, start] = [
          { hour: 48, day: 24 * 4, week: 24 * 15 }[schedule.every],
          Date.parse(from) + 17 * 60_000,
        ]
        // Stopped for a while after so many looks.
        const pauses = new Map(stops.map((minutes, at) => [7 * (at + 1), minutes * 60_000]))
        let since = start
        let stopped = 0
        for (let look = 1, now = nextCheck(schedule, since); now < start + hours * 3_600_000; look += 1) {
          const late = now + (pauses.get(look) ?? 0)
          stopped = Math.max(stopped, late - now)
          for (const site of sites.filter(dueSince(schedule, since, late))) began.get(site)?.push(late)
          since = late
          now = nextCheck(schedule, late)
        }
        for (const site of sites) {
          const expected: number[] = []
          const offset = offsetOf(schedule, site)
          for (let at = nextRun(schedule, start - offset); at + offset <= since; at = nextRun(schedule, at))
            if (schedule.every !== 'hour' || isOpen(schedule, at + offset)) expected.push(at + offset)
          const times = began.get(site) ?? []
          if (stopped === 0)
            expect(times.map((at) => Math.floor(at / 60_000))).toEqual(expected.map((at) => Math.ceil(at / 60_000)))
          // Whatever was missed, each begin is the first look after a time of its own.
          const at = (time: number) => expected.filter((one) => one <= time).length
          expect(new Set(times.map(at)).size).toBe(times.length)
          expect(at(times.at(-1) ?? start)).toBe(expected.length)
        }
      },
    ),
    { numRuns: 60 },
  )
})

test.each([
  ['hour', '00:15', '2026-07-01T03:20Z', '2026-07-01T20:15Z'],
  ['hour', '00:15', '2026-07-01T02:20Z', '2026-07-01T03:15Z'],
  ['day', '02:30', '2026-07-01T12:00Z', '2026-07-02T00:30Z'],
] as const)('the next backup of every %s at %s is one in the hours of the schedule', (every, at, now, next) => {
  const hours = { window_from: '22:00', window_until: '06:00' }
  expect(nextCheck({ every, at, time_zone: 'Europe/Berlin', spread: 0, ...hours }, Date.parse(now))).toBe(
    Date.parse(next),
  )
})

test('a time that a changed clock takes out of the hours is made up for in the next ones', () => {
  const night = { every: 'day' as const, at: '02:30', time_zone: 'Europe/Berlin', spread: 0 }
  const schedule = { ...night, window_from: '02:00', window_until: '03:00' }
  const [before, after] = [Date.parse('2026-03-28T12:00Z'), Date.parse('2026-03-30T00:00Z')]
  expect(nextCheck(schedule, before)).toBe(after)
  expect(dueSince(schedule, before, after)('one')).toBe(true)
})
