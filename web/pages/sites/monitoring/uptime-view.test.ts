import { expect, test } from 'vitest'
import type { Uptime } from '#shared/responses/uptime.ts'
import { axisTop, indexAt, intervalsOf, linePath, rangeOfAge } from './uptime-view.ts'

const none = { up: 0, slow: 0, down: 0, asleep: 0, paused: 0, median_ms: null, p95_ms: null, ttfb_ms: null }
const uptime = (buckets: (Partial<Uptime['buckets'][number]> & { at: number })[], to = 600): Uptime => ({
  range: '1h',
  from: 0,
  to,
  bucket_seconds: 60,
  buckets: buckets.map((bucket) => ({ ...none, ...bucket })),
  totals: { ...none, availability: null },
  incidents: [],
})
const states = (given: Uptime) => intervalsOf(given).map(({ state }) => state)

test('an interval shows the worst of its checks, and nothing where nothing was measured', () => {
  expect(
    states(
      uptime(
        [
          { at: 0, up: 3, down: 1 },
          { at: 120, up: 1, slow: 1 },
        ],
        180,
      ),
    ),
  ).toEqual(['down', null, 'slow', null])
})

test('a sleeping site sleeps until its next sample, at most five minutes; one that was checked is not taken as asleep', () => {
  expect(
    states(
      uptime(
        [
          { at: 0, asleep: 1 },
          { at: 120, up: 1 },
        ],
        240,
      ),
    ),
  ).toEqual(['asleep', 'asleep', 'up', null, null])
  const alone = states(uptime([{ at: 0, asleep: 1 }]))
  expect(alone.slice(0, 6)).toEqual(Array(6).fill('asleep'))
  expect(alone.slice(6)).toEqual(Array(5).fill(null))
})

test('the line is broken where nothing was measured', () => {
  const given = intervalsOf(
    uptime(
      [
        { at: 0, median_ms: 50 },
        { at: 60, median_ms: 100 },
        { at: 180, median_ms: 0 },
      ],
      240,
    ),
  )
  const path = linePath(given, ({ median_ms }) => median_ms, 100, 100)
  expect(path.match(/M/g)).toHaveLength(2)
  expect(path.match(/L/g)).toHaveLength(1)
  expect(path.startsWith('M100.0 50.0')).toBe(true)
})

test.each([
  [0, 100],
  [3, 10],
  [12, 20],
  [180, 200],
  [501, 1000],
  [Number.NaN, 100],
])('the axis of %d ms ends at %d', (most, top) => expect(axisTop(most)).toBe(top))

test('changes outside of the range have no place', () => {
  const given = uptime([])
  expect([-1, 0, 59, 60, 660].map((at) => indexAt(given, 11, at))).toEqual([-1, 0, 0, 1, -1])
})

test.each([
  ['2026-03-01 11:30:00.000000', '1h'],
  ['2026-03-01 10:59:59.000000', '6h'],
  ['2026-03-01 01:00:00.000000', '12h'],
  ['2026-02-28 00:00:00.000000', '24h'],
  ['2020-01-01 00:00:00.000000', '24h'],
  [undefined, '24h'],
])('a site created at %s first shows %s', (creation, range) => {
  expect(rangeOfAge(creation, Date.UTC(2026, 2, 1, 12))).toBe(range)
})
