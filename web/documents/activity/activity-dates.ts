import type { FilterTriple } from '#shared/doctype.ts'
import { timeZone } from '#web/lib/i18n/locale.ts'

const dayMs = 86_400_000

/** Days `YYYY-MM-DD`, inclusive; null means unbounded. */
export interface DayRange {
  readonly from: string | null
  readonly to: string | null
}

/** Parses a day from a URL or field; null if invalid. */
export function readDay(text: string | null): string | null {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const at = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? null : text
}

/** The calendar day in a time zone. */
export function dayOf(ms: number, zone: string | undefined = timeZone): string {
  // The Swedish format is `YYYY-MM-DD`, as in the API.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(ms)
}

/** Adds days to a day. */
export function dayPlus(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** Offset of a time zone from UTC at a given time, in ms. */
function offsetAt(ms: number, zone: string | undefined): number {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return Date.parse(`${parts.format(ms).replace(' ', 'T')}Z`) - Math.floor(ms / 1000) * 1000
}

/** Start of a day in a time zone, as UTC in API format. */
export function dayStart(day: string, zone: string | undefined = timeZone): string {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // The first offset may be from the other side of a daylight saving change, so compute it again at the corrected time.
  const first = midnight - offsetAt(midnight, zone)
  const start = midnight - offsetAt(first, zone)
  return new Date(start).toISOString().replace('T', ' ').slice(0, 19)
}

/** Filters on `creation` for days in the user's time zone. */
export function dayFilters({ from, to }: DayRange, zone: string | undefined = timeZone): FilterTriple[] {
  return [
    ...(from ? [['creation', '>=', dayStart(from, zone)] as const] : []),
    ...(to ? [['creation', '<', dayStart(dayPlus(to, 1), zone)] as const] : []),
  ]
}
