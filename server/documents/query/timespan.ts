import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

const day = 86_400_000

const startOfDay = (date: Date, offset = 0) =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + offset))
/** Weeks start on Sunday, as in Frappe where no other day is set. */
const startOfWeek = (date: Date, offset = 0) => startOfDay(date, -date.getUTCDay() + offset * 7)
const startOfMonth = (date: Date, offset = 0) =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1))
const startOfQuarter = (date: Date, offset = 0) =>
  new Date(Date.UTC(date.getUTCFullYear(), (Math.floor(date.getUTCMonth() / 3) + offset) * 3, 1))
const startOfYear = (date: Date, offset = 0) => new Date(Date.UTC(date.getUTCFullYear() + offset, 0, 1))

type Span = (now: Date) => [Date, Date]

/** As many days before today, and today. */
const lastDays =
  (days: number): Span =>
  (now) => [startOfDay(now, -days), startOfDay(now, 1)]
/** Today and as many days after it. */
const nextDays =
  (days: number): Span =>
  (now) => [startOfDay(now), startOfDay(now, days + 1)]
/** Whole periods, as numbers from the current one: the first, and the one after the last. */
const periods =
  (start: (date: Date, offset: number) => Date, first: number, end: number): Span =>
  (now) => [start(now, first), start(now, end)]

/** Everything before a number of days of 24 hours ago. */
const olderThan =
  (days: number): Span =>
  (now) => [new Date(0), new Date(now.getTime() - days * day)]

/**
 * Frappe's named spans (`get_timespan_date_range` in its `utils/data.py`), and those of age: start (inclusive) and end
 * (exclusive).
 */
const spans: Record<string, Span> = {
  yesterday: periods(startOfDay, -1, 0),
  today: periods(startOfDay, 0, 1),
  tomorrow: periods(startOfDay, 1, 2),
  'last 7 days': lastDays(7),
  'last 14 days': lastDays(14),
  'last 30 days': lastDays(30),
  'last 90 days': lastDays(90),
  'next 7 days': nextDays(7),
  'next 14 days': nextDays(14),
  'next 30 days': nextDays(30),
  'last week': periods(startOfWeek, -1, 0),
  'this week': periods(startOfWeek, 0, 1),
  'next week': periods(startOfWeek, 1, 2),
  'last month': periods(startOfMonth, -1, 0),
  'this month': periods(startOfMonth, 0, 1),
  'next month': periods(startOfMonth, 1, 2),
  'last quarter': periods(startOfQuarter, -1, 0),
  'this quarter': periods(startOfQuarter, 0, 1),
  'next quarter': periods(startOfQuarter, 1, 2),
  'last year': periods(startOfYear, -1, 0),
  'this year': periods(startOfYear, 0, 1),
  'next year': periods(startOfYear, 1, 2),
  // Two whole quarters.
  'last 6 months': periods(startOfQuarter, -2, 0),
  'next 6 months': periods(startOfQuarter, 1, 3),
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
