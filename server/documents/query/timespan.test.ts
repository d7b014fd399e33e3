import { describe, expect, it } from 'vitest'
import { adjacentPeriodRange, timespanRange } from './timespan.ts'

/** A Wednesday in the middle of a quarter. */
const now = new Date('2026-05-13T10:20:30Z')

describe('spans of time', () => {
  // What Frappe's get_timespan_date_range answers on that day, both days inclusive.
  it.each([
    ['yesterday', '2026-05-12', '2026-05-12'],
    ['today', '2026-05-13', '2026-05-13'],
    ['tomorrow', '2026-05-14', '2026-05-14'],
    ['last 7 days', '2026-05-06', '2026-05-13'],
    ['last 14 days', '2026-04-29', '2026-05-13'],
    ['last 30 days', '2026-04-13', '2026-05-13'],
    ['last 90 days', '2026-02-12', '2026-05-13'],
    ['next 7 days', '2026-05-13', '2026-05-20'],
    ['next 14 days', '2026-05-13', '2026-05-27'],
    ['next 30 days', '2026-05-13', '2026-06-12'],
    ['Last Week', '2026-05-03', '2026-05-09'],
    ['this week', '2026-05-10', '2026-05-16'],
    ['next week', '2026-05-17', '2026-05-23'],
    ['last month', '2026-04-01', '2026-04-30'],
    ['this month', '2026-05-01', '2026-05-31'],
    ['next month', '2026-06-01', '2026-06-30'],
    ['last quarter', '2026-01-01', '2026-03-31'],
    ['this quarter', '2026-04-01', '2026-06-30'],
    ['next quarter', '2026-07-01', '2026-09-30'],
    ['last 6 months', '2025-10-01', '2026-03-31'],
    ['next 6 months', '2026-07-01', '2026-12-31'],
    ['last year', '2025-01-01', '2025-12-31'],
    ['this year', '2026-01-01', '2026-12-31'],
    ['next year', '2027-01-01', '2027-12-31'],
  ])('%s', (name, first, last) => {
    expect(timespanRange(name, now)).toEqual([`${first} 00:00:00.000000`, `${last} 23:59:59.999999`])
  })

  it('a week starts on its Sunday, a quarter may be of the year before', () => {
    expect(timespanRange('this week', new Date('2026-05-10T00:00:00Z'))[0]).toMatch(/^2026-05-10 /)
    expect(timespanRange('last quarter', new Date('2026-01-31T23:59:59Z'))).toEqual([
      '2025-10-01 00:00:00.000000',
      '2025-12-31 23:59:59.999999',
    ])
  })

  it('an age counts from now', () => {
    expect(timespanRange('older than 1 day', now)).toEqual(['1970-01-01 00:00:00.000000', '2026-05-12 10:20:29.999999'])
  })

  it.each([
    ['previous', '1 week', '2026-05-03', '2026-05-09'],
    ['next', '1 week', '2026-05-17', '2026-05-23'],
    ['previous', '1 month', '2026-04-01', '2026-04-30'],
    ['previous', '3 months', '2026-01-01', '2026-03-31'],
    ['next', '6 months', '2026-07-01', '2026-12-31'],
    ['next', '1 Year', '2027-01-01', '2027-12-31'],
  ] as const)('%s %s', (operator, length, first, last) => {
    expect(adjacentPeriodRange(operator, length, now)).toEqual([`${first} 00:00:00.000000`, `${last} 23:59:59.999999`])
  })

  it('refuses what has no meaning, names of prototypes too', () => {
    for (const word of ['', 'last eon', 'constructor', '__proto__']) {
      expect(() => timespanRange(word, now)).toThrow(/Timespan must be one of/)
      expect(() => adjacentPeriodRange('previous', word, now)).toThrow(/must be one of 1 week/)
    }
  })
})
