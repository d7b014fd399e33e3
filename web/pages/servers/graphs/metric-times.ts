import { formatClock } from '#web/lib/i18n/format.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { locale, timeZone } from '#web/lib/i18n/locale.ts'

const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone })

/** Day and time of a moment in seconds since 1970. */
export function timeText(seconds: number): string {
  const date = new Date(seconds * 1000)
  return `${formatDay(date)}, ${formatClock(date)}`
}

/** A moment at the axis of time, whose labels are so many seconds apart. */
export function axisTime(seconds: number, apart: number): string {
  const date = new Date(seconds * 1000)
  return apart >= 86_400 ? shortDay.format(date) : formatClock(date)
}
