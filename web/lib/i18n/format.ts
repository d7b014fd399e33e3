/**
 * Formats all numbers and times for display, in the user's language and time zone. API times are `YYYY-MM-DD
 * HH:MM:SS.ffffff` in UTC.
 */
import { once } from '#web/lib/browser/once.ts'
import { translateText } from './catalog.ts'
import { parseTime } from './format-day.ts'
import { locale, timeZone } from './locale.ts'
import { numberFormat } from './number-format.ts'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

const relative = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' }))

/** "3 minutes ago", "yesterday", "in 4 days"; "just now" under 45 seconds. '' if missing. */
export function formatRelative(value: string | Date | null | undefined, now: number = Date.now()): string {
  const date = value instanceof Date ? value : parseTime(value)
  if (!date) return ''
  const seconds = Math.round((date.getTime() - now) / 1000)
  if (Math.abs(seconds) < 45) return translateText('just now')
  for (const [unit, size] of units) {
    // What has passed is in full units; an hour before a week is over, it ends in 7 days, not in 6.
    if (Math.abs(seconds) >= size)
      return relative().format(seconds < 0 ? Math.trunc(seconds / size) : Math.round(seconds / size), unit)
  }
  return relative().format(Math.sign(seconds), 'minute')
}

const absolute = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone }))
const clock = once(() => new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }))

/** Full date and time in the user's time zone. '' if missing. */
export function formatAbsolute(value: string | Date | null | undefined): string {
  const date = value instanceof Date ? value : parseTime(value)
  return date ? absolute().format(date) : ''
}

/** Hours and minutes, e.g. "14:02". */
export function formatClock(value: string | Date | null | undefined): string {
  const date = value instanceof Date ? value : parseTime(value)
  return date ? clock().format(date) : ''
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const

/** Bytes in steps of 1024: "512 B", "4.2 GB". '' if missing. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return ''
  let value = Math.abs(bytes)
  let unit = 0
  while (value >= 1023.5 && unit < byteUnits.length - 1) {
    value /= 1024
    unit += 1
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1
  const number = numberFormat({ maximumFractionDigits: digits }).format(Math.sign(bytes) * value)
  return `${number} ${translateText(byteUnits[unit] ?? '')}`
}

/** Formats seconds as "12 ms", "0.4 s", "12 s", "2 min 5 s", "3 h 20 min", "4 d 2 h". '' if missing. */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return ''
  const whole = Math.max(0, seconds)
  if (whole > 0 && whole < 0.05) return `${Math.ceil(whole * 1000)} ${translateText('ms')}`
  if (whole < 9.95) return `${numberFormat({ maximumFractionDigits: 1 }).format(whole)} ${translateText('s')}`
  const total = Math.round(whole)
  if (total < 60) return `${total} ${translateText('s')}`
  const pair = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small === 0
      ? `${big} ${translateText(bigUnit)}`
      : `${big} ${translateText(bigUnit)} ${small} ${translateText(smallUnit)}`
  if (total < 3600) return pair(Math.floor(total / 60), 'min', total % 60, 's')
  if (total < 86_400) return pair(Math.floor(total / 3600), 'h', Math.floor((total % 3600) / 60), 'min')
  return pair(Math.floor(total / 86_400), 'd', Math.floor((total % 86_400) / 3600), 'h')
}

/** Seconds between two API times (until now if the second is missing); null without a start. */
export function secondsBetween(
  from: string | null | undefined,
  to?: string | null,
  now: number = Date.now(),
): number | null {
  const start = parseTime(from)
  if (!start) return null
  const end = to ? (parseTime(to)?.getTime() ?? now) : now
  return Math.max(0, (end - start.getTime()) / 1000)
}

/** Formats a whole number with the locale's separators; a count that stopped above `countCap` as "1,000+". */
export function formatNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : numberFormat().format(value)
}

/** Formats 0 to 100 as a percentage of the locale, e.g. "42 %". */
export function formatPercent(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined) return ''
  return numberFormat({ style: 'percent', maximumFractionDigits: digits }).format(value / 100)
}

const regions = once(() => new Intl.DisplayNames(locale, { type: 'region' }))

/** Name of a country by its ISO 3166-1 code; `fallback` (the server's English name) if the code is empty or unknown. */
export function formatCountry(code: string, fallback = ''): string {
  if (!/^[a-z]{2}$/i.test(code)) return fallback
  const name = regions().of(code.toUpperCase())
  return name === undefined || name === code.toUpperCase() ? fallback : name
}

/** Formats an amount in its own currency (ISO 4217): "€39", "€20.97". Never add up amounts of different currencies. */
export function formatMoney(amount: number | null | undefined, currency: string): string {
  if (amount === null || amount === undefined) return ''
  const digits = Number.isInteger(amount) ? { minimumFractionDigits: 0 } : {}
  return numberFormat({ style: 'currency', currency, ...digits }).format(amount)
}
