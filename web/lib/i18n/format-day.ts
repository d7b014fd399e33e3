/** Formatted days and parsed API times: the part of `format.ts` that public pages need too. */
import { once } from '#web/lib/browser/once.ts'
import { locale, timeZone } from './locale.ts'

/** Parses an API time to a Date; null if it is missing or invalid. */
export function parseTime(value: string | null | undefined): Date | null {
  if (!value) return null
  const match = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2})(\.\d{1,6})?)?(?:Z)?$/.exec(value)
  if (!match) return null
  const [, day, clock = '00:00:00', fraction = ''] = match
  const date = new Date(`${day}T${clock}${fraction.slice(0, 4)}Z`)
  return Number.isNaN(date.getTime()) ? null : date
}

const day = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }))
const calendarDay = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }))

/** Formats the date only, e.g. "20 Nov 2025". A date without a time is the same day in every time zone. '' if missing. */
export function formatDay(value: string | Date | null | undefined): string {
  const date = value instanceof Date ? value : parseTime(value)
  if (!date) return ''
  return (typeof value === 'string' && value.length === 10 ? calendarDay : day)().format(date)
}
