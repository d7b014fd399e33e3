import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultPlans, excess, hasCapacity, limitsOf, limitState, periodEnd } from './plans.ts'

test("limits are the plan's unless the platform admin granted others", () => {
  const [free, starter] = defaultPlans
  if (!free || !starter) throw new Error('there are no plans')
  expect(limitsOf(free, { site: null, server: null })).toEqual({ site: 3, server: 1 })
  expect(limitsOf(starter, { site: '5', server: null })).toEqual({ site: 5, server: 2 })
  expect(limitsOf(starter, { site: '0', server: '-1' })).toEqual({ site: 0, server: -1 })
  expect(limitsOf(starter, { site: 'lots', server: '' })).toEqual({ site: 10, server: 2 })
})

test('reached at the limit, exceeded above it, neither without a limit', () => {
  expect(limitState(3, 3)).toEqual({ reached: true, exceeded: false })
  expect(limitState(4, 3)).toEqual({ reached: false, exceeded: true })
  expect(limitState(2, 3)).toEqual({ reached: false, exceeded: false })
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(0, -1), (usage, limit) => {
      expect(limitState(usage, limit)).toEqual({ reached: false, exceeded: false })
      expect(hasCapacity(usage, limit)).toBe(true)
    }),
  )
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1 }), (usage, limit) => {
      const { reached, exceeded } = limitState(usage, limit)
      expect(hasCapacity(usage, limit)).toBe(!reached && !exceeded)
      expect(reached && exceeded).toBe(false)
    }),
  )
})

test('usage above the limits, and none without a limit', () => {
  expect([excess(5, 3), excess(3, 3), excess(2, 3), excess(9, 0), excess(9, -1)]).toEqual([2, 0, 0, 0, 0])
})

const at = (text: string) => Date.parse(`${text}Z`)

test.each([
  ['2026-01-15T10:00:00', '2026-01-15T10:00:00', '2026-02-15T10:00:00'],
  ['2026-01-15T10:00:00', '2026-02-15T09:59:59', '2026-02-15T10:00:00'],
  ['2026-01-15T10:00:00', '2026-02-15T10:00:00', '2026-03-15T10:00:00'],
  ['2026-01-31T00:00:00', '2026-02-10T00:00:00', '2026-02-28T00:00:00'],
  ['2026-01-31T00:00:00', '2026-03-01T00:00:00', '2026-03-31T00:00:00'],
  ['2027-12-31T23:59:59', '2028-02-01T00:00:00', '2028-02-29T23:59:59'],
  ['2026-11-30T00:00:00', '2026-12-31T00:00:00', '2027-01-30T00:00:00'],
  // The clock was set back to before the anchor.
  ['2026-05-05T00:00:00', '2026-01-01T00:00:00', '2026-05-05T00:00:00'],
])('a period from %s that runs at %s ends %s', (anchor, now, end) => {
  expect(new Date(periodEnd(at(anchor), at(now))).toISOString()).toBe(new Date(at(end)).toISOString())
})

test('periods end after now, within 31 days, and follow one another', () => {
  const moment = fc.integer({ min: at('2020-01-01T00:00:00'), max: at('2040-01-01T00:00:00') })
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      const [anchor, now] = [Math.min(a, b), Math.max(a, b)]
      const end = periodEnd(anchor, now)
      expect(end).toBeGreaterThan(now)
      expect(end - now).toBeLessThanOrEqual(31 * 86_400_000)
      expect(periodEnd(anchor, end - 1)).toBe(end)
    }),
  )
})
