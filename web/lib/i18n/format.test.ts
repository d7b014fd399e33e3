import { describe, expect, test } from 'vitest'
import { parseTime } from './format-day.ts'
import { formatBytes, formatDuration, formatNumber, formatRelative, secondsBetween } from './format.ts'
import { initials } from '../browser/initials.ts'

const now = Date.UTC(2025, 10, 20, 12, 0, 0)
const at = (seconds: number): string =>
  new Date(now + seconds * 1000).toISOString().replace('T', ' ').replace('Z', '000')

describe('API times', () => {
  test('are UTC, with or without a fraction', () => {
    expect(parseTime('2025-11-20 12:00:00.123456')?.toISOString()).toBe('2025-11-20T12:00:00.123Z')
    expect(parseTime('2025-11-20 12:00:00')?.getTime()).toBe(now)
    expect(parseTime('2025-11-20')?.toISOString()).toBe('2025-11-20T00:00:00.000Z')
  })
  test.each([null, undefined, '', 'yesterday', '2025-13-40 00:00:00', '20.11.2025'])('%s is not a time', (value) => {
    expect(parseTime(value)).toBeNull()
    expect(formatRelative(value, now)).toBe('')
  })
  test.each([
    [-10, 'just now'],
    [20, 'just now'],
    [-50, '1 minute ago'],
    [-3 * 60, '3 minutes ago'],
    [-119 * 60, '1 hour ago'],
    [-86_400, 'yesterday'],
    [-3 * 86_400, '3 days ago'],
    [4 * 86_400, 'in 4 days'],
    [7 * 86_400 - 60, 'in 7 days'],
    [6.4 * 86_400, 'in 6 days'],
    [-40 * 86_400, 'last month'],
  ])('%i s from now is "%s"', (seconds, text) => expect(formatRelative(at(seconds), now)).toBe(text))
  test('durations', () => {
    expect(secondsBetween(at(-90), at(-30), now)).toBe(60)
    expect(secondsBetween(at(-90), null, now)).toBe(90)
    expect(secondsBetween(at(30), null, now)).toBe(0)
    expect(secondsBetween(null, null, now)).toBeNull()
  })
})

test.each([
  [0, '0 B'],
  [1023, '1,023 B'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [1024 * 1024 - 1, '1 MB'],
  [83_000_000, '79.2 MB'],
  [500 * 2 ** 30, '500 GB'],
  [Number.NaN, ''],
])('%d bytes are "%s"', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

test.each([
  [0, '0'],
  [1001, '1,001'],
  [Infinity, '1,000+'],
  [null, ''],
])('the count %d is "%s"', (count, text) => expect(formatNumber(count)).toBe(text))

test.each([
  [0.0117, '12 ms'],
  [0.44, '0.4 s'],
  [9.96, '10 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [125, '2 min 5 s'],
  [3600, '1 h'],
  [12_000, '3 h 20 min'],
  [353_000, '4 d 2 h'],
  [-3, '0 s'],
])('%d seconds are "%s"', (seconds, text) => expect(formatDuration(seconds)).toBe(text))

test.each([
  ['Fernhill Web', 'FW'],
  ['acme', 'A'],
  ['ines@fernhill.example', 'IF'],
  ['  ', '?'],
])('initials of "%s"', (name, letters) => expect(initials(name)).toBe(letters))
