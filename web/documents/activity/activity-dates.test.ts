import { expect, it } from 'vitest'
import { dayFilters, dayOf, dayPlus, dayStart, readDay } from './activity-dates.ts'

it('parses dates only', () => {
  expect(readDay('2025-11-20')).toBe('2025-11-20')
  for (const wrong of [null, '', '2025-11-31', '20.11.2025', '2025-1-2', "2025-11-20' or 1"])
    expect(readDay(wrong)).toBeNull()
})

it('computes the start of a day in the user’s time zone, including daylight saving changes', () => {
  expect(dayStart('2025-11-20', 'UTC')).toBe('2025-11-20 00:00:00')
  expect(dayStart('2025-11-20', 'Europe/Berlin')).toBe('2025-11-19 23:00:00')
  expect(dayStart('2025-07-20', 'Europe/Berlin')).toBe('2025-07-19 22:00:00')
  expect(dayStart('2025-11-20', 'America/New_York')).toBe('2025-11-20 05:00:00')
  expect(dayStart('2025-11-20', 'Asia/Kathmandu')).toBe('2025-11-19 18:15:00')
  // Daylight saving changes in Europe.
  expect(dayStart('2025-03-30', 'Europe/Berlin')).toBe('2025-03-29 23:00:00')
  expect(dayStart('2025-03-31', 'Europe/Berlin')).toBe('2025-03-30 22:00:00')
  expect(dayStart('2025-10-27', 'Europe/Berlin')).toBe('2025-10-26 23:00:00')
})

it('includes both days of a range', () => {
  expect(dayFilters({ from: '2025-11-19', to: '2025-11-20' }, 'UTC')).toEqual([
    ['creation', '>=', '2025-11-19 00:00:00'],
    ['creation', '<', '2025-11-21 00:00:00'],
  ])
  expect(dayFilters({ from: null, to: null }, 'UTC')).toEqual([])
})

it('shows the date in the user’s time zone', () => {
  const late = Date.UTC(2025, 11, 31, 23, 30)
  expect(dayOf(late, 'UTC')).toBe('2025-12-31')
  expect(dayOf(late, 'Asia/Tokyo')).toBe('2026-01-01')
  expect(dayPlus('2025-12-31', 1)).toBe('2026-01-01')
})
