import { createHash } from 'node:crypto'
import type { BackupSchedule } from '#shared/doctypes/backup-schedule.ts'

/** When a schedule runs. */
type Times = Pick<BackupSchedule, 'every' | 'at' | 'time_zone' | 'spread'>

/** A time as clocks of a time zone show it. Months count from 1, weekdays from Monday = 0. */
export interface LocalTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly weekday: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US-u-ca-iso8601', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, made)
  return made
}

/** What clocks of a time zone show at a time (milliseconds since 1970). */
export function localTime(at: number, timeZone: string): LocalTime {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const [year, month, day] = [parts['year'] ?? 0, parts['month'] ?? 1, parts['day'] ?? 1]
  const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7
  return { year, month, day, hour: parts['hour'] ?? 0, minute: parts['minute'] ?? 0, weekday }
}

/** When clocks of a time zone show a time. One that is left out in spring is an hour later; of one that comes twice, the first. */
function timeOf(year: number, month: number, day: number, minutes: number, timeZone: string): number {
  const wanted = Date.UTC(year, month - 1, day, 0, minutes)
  const offsetAt = (at: number) => {
    const seen = localTime(at, timeZone)
    return Date.UTC(seen.year, seen.month - 1, seen.day, seen.hour, seen.minute) - at
  }
  const before = wanted - offsetAt(wanted - 86_400_000)
  if (before + offsetAt(before) === wanted) return before
  const after = wanted - offsetAt(before)
  return after + offsetAt(after) === wanted ? after : before
}

/**
 * The first time after `now` at which a schedule backs up: of weeks on Mondays, of months on the first.
 * @param schedule.at `HH:MM`
 */
export function nextRun({ every, at, time_zone }: Omit<Times, 'spread'>, now: number): number {
  const [hours = 0, minutes = 0] = (at ?? '00:00').split(':').map(Number)
  const zone = time_zone ?? 'Etc/UTC'
  const { year, month, day, weekday } = localTime(now, zone)
  // Local days and months follow each other without gaps, so one of the next ones comes after now.
  for (let ahead = 0; ahead < 4; ahead += 1) {
    if (every === 'hour') {
      const next = Math.floor(now / 60_000) * 60_000 + ((minutes - localTime(now, zone).minute + 60) % 60) * 60_000
      return next > now ? next : next + 3_600_000
    }
    const next =
      every === 'month'
        ? timeOf(year, month + ahead, 1, hours * 60 + minutes, zone)
        : timeOf(year, month, day + (every === 'week' ? ahead * 7 - weekday : ahead), hours * 60 + minutes, zone)
    if (next > now) return next
  }
  throw new Error(`No next run of ${String(every)} at ${String(at)} in ${zone}`)
}

/** When a site begins, after the time of its schedule: in milliseconds, whole minutes, and always the same. */
export function offsetOf({ spread }: Pick<Times, 'spread'>, site: string): number {
  const number = createHash('sha256').update(site).digest().readUInt32BE(0)
  return (number % Math.max(1, spread ?? 0)) * 60_000
}

/** Which sites are due by a schedule since a time. Sites that begin at the same minute are looked up once. */
export function dueSince(schedule: Times, since: number, now: number): (site: string) => boolean {
  const due = new Map<number, boolean>()
  return (site) => {
    const offset = offsetOf(schedule, site)
    const isDue = due.get(offset) ?? nextRun(schedule, since - offset) + offset <= now
    due.set(offset, isDue)
    return isDue
  }
}

/** When to look next which sites are due: each minute until all of them began. */
export function nextCheck(schedule: Times, now: number): number {
  const begun = nextRun(schedule, now - (schedule.spread ?? 0) * 60_000)
  return begun <= now ? now + 60_000 : begun
}
