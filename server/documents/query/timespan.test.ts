import { describe, expect, it } from 'vitest'
import { adjacentPeriodRange, timespanRange } from './timespan.ts'

/** A Wednesday in the middle of a quarter. */
const now = new Date('2026-05-13T10:20:30Z')

describe('spans of time', () => {
  it.each([
    ['today', '2026-05-13 00:00:00.000000', '2026-05-13 23:59:59.999999'],
    ['yesterday', '2026-05-12 00:00:00.000000', '2026-05-12 23:59:59.999999'],
    ['Last Week', '2026-05-04 00:00:00.000000', '2026-05-10 23:59:59.999999'],
    ['this month', '2026-05-01 00:00:00.000000', '2026-05-31 23:59:59.999999'],
    ['last 6 months', '2025-11-01 00:00:00.000000', '2026-04-30 23:59:59.999999'],
    ['next year', '2027-01-01 00:00:00.000000', '2027-12-31 23:59:59.999999'],
    ['older than 1 day', '1970-01-01 00:00:00.000000', '2026-05-12 10:20:29.999999'],
  ])('%s', (name, from, until) => {
    expect(timespanRange(name, now)).toEqual([from, until])
  })

  it.each([
    ['previous', '1 week', '2026-05-04 00:00:00.000000', '2026-05-10 23:59:59.999999'],
    ['next', '1 week', '2026-05-18 00:00:00.000000', '2026-05-24 23:59:59.999999'],
    ['previous', '1 month', '2026-04-01 00:00:00.000000', '2026-04-30 23:59:59.999999'],
    ['previous', '3 months', '2026-01-01 00:00:00.000000', '2026-03-31 23:59:59.999999'],
    ['next', '6 months', '2026-06-01 00:00:00.000000', '2026-11-30 23:59:59.999999'],
    ['next', '1 Year', '2027-01-01 00:00:00.000000', '2027-12-31 23:59:59.999999'],
  ] as const)('%s %s', (operator, length, from, until) => {
    expect(adjacentPeriodRange(operator, length, now)).toEqual([from, until])
  })

  it('refuses what has no meaning, names of prototypes too', () => {
    for (const word of ['', 'last eon', 'constructor', '__proto__']) {
      expect(() => timespanRange(word, now)).toThrow(/Timespan must be one of/)
      expect(() => adjacentPeriodRange('previous', word, now)).toThrow(/must be one of 1 week/)
    }
  })
})
