import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

const day = 86_400_000

const startOfDay = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()))
/** Weeks start on Monday (ISO 8601). */
const startOfWeek = (date: Date) => new Date(startOfDay(date).getTime() - ((date.getUTCDay() + 6) % 7) * day)
const startOfMonth = (date: Date, offset = 0) =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1))
const startOfQuarter = (date: Date, offset = 0) =>
  new Date(Date.UTC(date.getUTCFullYear(), (Math.floor(date.getUTCMonth() / 3) + offset) * 3, 1))
const startOfYear = (date: Date, offset = 0) => new Date(Date.UTC(date.getUTCFullYear() + offset, 0, 1))

/** Everything before a number of days of 24 hours ago. */
const olderThan = (days: number) => (now: Date) => [new Date(0), new Date(now.getTime() - days * day)] as [Date, Date]

/** Frappe's named spans, and those of age: start (inclusive) and end (exclusive). */
const spans: Record<string, (now: Date) => [Date, Date]> = {
  yesterday: (now) => [new Date(startOfDay(now).getTime() - day), startOfDay(now)],
  today: (now) => [startOfDay(now), new Date(startOfDay(now).getTime() + day)],
  tomorrow: (now) => [new Date(startOfDay(now).getTime() + day), new Date(startOfDay(now).getTime() + 2 * day)],
  'last 7 days': (now) => [new Date(startOfDay(now).getTime() - 7 * day), startOfDay(now)],
  'last 14 days': (now) => [new Date(startOfDay(now).getTime() - 14 * day), startOfDay(now)],
  'last 30 days': (now) => [new Date(startOfDay(now).getTime() - 30 * day), startOfDay(now)],
  'last 90 days': (now) => [new Date(startOfDay(now).getTime() - 90 * day), startOfDay(now)],
  'last week': (now) => [new Date(startOfWeek(now).getTime() - 7 * day), startOfWeek(now)],
  'this week': (now) => [startOfWeek(now), new Date(startOfWeek(now).getTime() + 7 * day)],
  'next week': (now) => [
    new Date(startOfWeek(now).getTime() + 7 * day),
    new Date(startOfWeek(now).getTime() + 14 * day),
  ],
  'last month': (now) => [startOfMonth(now, -1), startOfMonth(now)],
  'this month': (now) => [startOfMonth(now), startOfMonth(now, 1)],
  'next month': (now) => [startOfMonth(now, 1), startOfMonth(now, 2)],
  'last quarter': (now) => [startOfQuarter(now, -1), startOfQuarter(now)],
  'this quarter': (now) => [startOfQuarter(now), startOfQuarter(now, 1)],
  'next quarter': (now) => [startOfQuarter(now, 1), startOfQuarter(now, 2)],
  'last 6 months': (now) => [startOfMonth(now, -6), startOfMonth(now)],
  'next 6 months': (now) => [startOfMonth(now, 1), startOfMonth(now, 7)],
  'last year': (now) => [startOfYear(now, -1), startOfYear(now)],
  'this year': (now) => [startOfYear(now), startOfYear(now, 1)],
  'next year': (now) => [startOfYear(now, 1), startOfYear(now, 2)],
  'older than 1 day': olderThan(1),
  'older than 7 days': olderThan(7),
  'older than 30 days': olderThan(30),
}

/** Names of the spans, for the API reference. */
export const timespanNames: readonly string[] = Object.keys(spans)

/** Lengths accepted by the operators `previous` and `next`, mapped to the names used in spans. */
const lengths: Record<string, string> = {
  '1 week': 'week',
  '1 month': 'month',
  '3 months': 'quarter',
  '6 months': '6 months',
  '1 year': 'year',
}

/** Names of those lengths, for the API reference. */
export const adjacentPeriodNames: readonly string[] = Object.keys(lengths)

/**
 * The full weeks, months, quarters or years before (or after) the current one; for example `previous`, `3 months` is the
 * last quarter. Throws AppError `invalid` for other lengths.
 */
export function adjacentPeriodRange(operator: 'previous' | 'next', length: string, now: Date): [string, string] {
  const known = length.trim().toLowerCase()
  const unit = Object.hasOwn(lengths, known) ? lengths[known] : undefined
  if (unit === undefined) {
    throw new AppError('invalid', msg`The value of ${operator} must be one of ${Object.keys(lengths)}.`, {
      excType: 'ValidationError',
    })
  }
  return timespanRange(`${operator === 'previous' ? 'last' : 'next'} ${unit}`, now)
}

const text = (date: Date) => date.toISOString().replace('T', ' ').replace('Z', '000')

/** First and last moment of a named span, both inclusive, UTC. Throws AppError `invalid` for unknown names. */
export function timespanRange(name: string, now: Date): [string, string] {
  const span = Object.hasOwn(spans, name.trim().toLowerCase()) ? spans[name.trim().toLowerCase()] : undefined
  if (!span)
    throw new AppError('invalid', msg`Timespan must be one of ${Object.keys(spans)}.`, {
      excType: 'ValidationError',
    })
  const [from, until] = span(now)
  return [text(from), text(new Date(until.getTime() - 1)).replace(/000$/, '999')]
}
