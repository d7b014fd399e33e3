import { formatClock } from '#web/lib/i18n/format.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { locale, timeZone } from '#web/lib/i18n/locale.ts'

const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone })

/** Seconds of a day. */
const daily = 86_400

/** Day and time of a moment in seconds since 1970; of what stands for a whole day, which are those of UTC, the day. */
export function timeText(seconds: number, interval = 0): string {
  const date = new Date(seconds * 1000)
  if (interval >= daily) return formatDay(date.toISOString().slice(0, 10))
  return `${formatDay(date)}, ${formatClock(date)}`
}

/** A moment at the axis of time, whose labels are so many seconds apart. */
export function axisTime(seconds: number, apart: number): string {
  const date = new Date(seconds * 1000)
  return apart >= daily ? shortDay.format(date) : formatClock(date)
}
