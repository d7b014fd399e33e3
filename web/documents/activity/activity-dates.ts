import type { FilterTriple } from '#shared/doctype.ts'
import { timeZone } from '#web/lib/i18n/locale.ts'

const dayMs = 86_400_000

/** Days `YYYY-MM-DD`, both included; null: no bound. */
export interface DayRange {
  readonly from: string | null
  readonly to: string | null
}

/** A day as an address or a field has it; null for anything else. */
export function readDay(text: string | null): string | null {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const at = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? null : text
}

/** The day it is in a zone. */
export function dayOf(ms: number, zone: string | undefined = timeZone): string {
  // Swedes write days as the wire does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(ms)
}

/** The day so many days from another. */
export function dayPlus(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** How far a zone's clock is before UTC at a moment, in ms. */
function offsetAt(ms: number, zone: string | undefined): number {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return Date.parse(`${parts.format(ms).replace(' ', 'T')}Z`) - Math.floor(ms / 1000) * 1000
}

/** When a day begins in a zone, as the wire's UTC time. */
export function dayStart(day: string, zone: string | undefined = timeZone): string {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // The offset of the wrong moment may be that of the other side of a change of the clocks: asked again at the right one.
  const first = midnight - offsetAt(midnight, zone)
  const start = midnight - offsetAt(first, zone)
  return new Date(start).toISOString().replace('T', ' ').slice(0, 19)
}

/** Conditions on `creation` for days of the reader's own zone. */
export function dayFilters({ from, to }: DayRange, zone: string | undefined = timeZone): FilterTriple[] {
  return [
    ...(from ? [['creation', '>=', dayStart(from, zone)] as const] : []),
    ...(to ? [['creation', '<', dayStart(dayPlus(to, 1), zone)] as const] : []),
  ]
}
