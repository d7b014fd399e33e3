import { createHash } from 'node:crypto'
import type { BackupSchedule } from '#shared/doctypes/backup-schedule.ts'

/** When a schedule runs. */
type Times = Pick<BackupSchedule, 'every' | 'at' | 'time_zone' | 'spread'> & Hours

/** The hours in which backups begin; without them, any. */
type Hours = Partial<Pick<BackupSchedule, 'time_zone' | 'window_from' | 'window_until'>>

const minute = 60_000

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
export function nextRun({ every, at, time_zone }: Pick<Times, 'every' | 'at' | 'time_zone'>, now: number): number {
  const minutes = minutesOf(at ?? '00:00')
  const zone = time_zone ?? 'Etc/UTC'
  const { year, month, day, weekday } = localTime(now, zone)
  // Local days and months follow each other without gaps, so one of the next ones comes after now.
  for (let ahead = 0; ahead < 4; ahead += 1) {
    if (every === 'hour') {
      const next =
        Math.floor(now / minute) * minute + (((minutes % 60) - localTime(now, zone).minute + 60) % 60) * minute
      return next > now ? next : next + 60 * minute
    }
    const next =
      every === 'month'
        ? timeOf(year, month + ahead, 1, minutes, zone)
        : timeOf(year, month, day + (every === 'week' ? ahead * 7 - weekday : ahead), minutes, zone)
    if (next > now) return next
  }
  throw new Error(`No next run of ${String(every)} at ${String(at)} in ${zone}`)
}

/** When the next hour, day, week, month or year of a time zone begins. */
export function nextPeriod(kind: 'hour' | 'day' | 'week' | 'month' | 'year', at: number, timeZone: string): number {
  const { year, month, day, hour, weekday } = localTime(at, timeZone)
  switch (kind) {
    case 'hour': {
      const next = timeOf(year, month, day, (hour + 1) * 60, timeZone)
      return next > at ? next : at + 60 * minute
    }
    case 'day':
      return timeOf(year, month, day + 1, 0, timeZone)
    case 'week':
      return timeOf(year, month, day + 7 - weekday, 0, timeZone)
    case 'month':
      return timeOf(year, month + 1, 1, 0, timeZone)
    case 'year':
      return timeOf(year + 1, 1, 1, 0, timeZone)
  }
}

/** When a site begins, after the time of its schedule: in milliseconds, whole minutes, and always the same. */
export function offsetOf({ spread }: Pick<Times, 'spread'>, site: string): number {
  const number = createHash('sha256').update(site).digest().readUInt32BE(0)
  return (number % Math.max(1, spread ?? 0)) * minute
}

/** Minutes since midnight of `HH:MM`. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Minutes from one time of day to the next time that it is another one: 0 to 1439. */
export const minutesBetween = (from: number, until: number): number => (until - from + 1440) % 1440

function localMinutes(at: number, timeZone: string | null | undefined): number {
  const seen = localTime(at, timeZone ?? 'Etc/UTC')
  return seen.hour * 60 + seen.minute
}

/** Whether backups of a schedule begin at a time. */
export function isOpen({ window_from, window_until, time_zone }: Hours, at: number): boolean {
  if (window_from == null || window_until == null) return true
  const from = minutesOf(window_from)
  return minutesBetween(from, localMinutes(at, time_zone)) < minutesBetween(from, minutesOf(window_until))
}

/** The first whole minute from one on at which backups of a schedule begin. */
function opening(schedule: Hours, at: number): number {
  if (schedule.window_from == null || isOpen(schedule, at)) return at
  const from = minutesOf(schedule.window_from)
  let next = at + minutesBetween(localMinutes(at, schedule.time_zone), from) * minute
  // Clocks are changed until then: it can be earlier or later, or not on that day.
  if (localMinutes(next, schedule.time_zone) !== from) for (next = at; !isOpen(schedule, next);) next += minute
  return next
}

/**
 * Which sites are due by a schedule since a time. Hourly ones are only due in its hours; the others also when a changed clock takes them out
 * of those, and begin in the next ones. Sites that begin at the same minute are looked up once.
 */
export function dueSince(schedule: Times, since: number, now: number): (site: string) => boolean {
  const due = new Map<number, boolean>()
  return (site) => {
    const offset = offsetOf(schedule, site)
    const known = due.get(offset)
    if (known !== undefined) return known
    let at = nextRun(schedule, since - offset) + offset
    while (schedule.every === 'hour' && at <= now && !isOpen(schedule, at)) at = nextRun(schedule, at - offset) + offset
    due.set(offset, at <= now)
    return at <= now
  }
}

/** When to look next which sites are due: each minute until all of them began, and when they can begin. */
export function nextCheck(schedule: Times, now: number): number {
  for (let from = now; ;) {
    const at = nextLook(schedule, from)
    const open = opening(schedule, at)
    if (open === at || schedule.every !== 'hour') return open
    // Hourly backups that fall between the two are not made.
    from = open - 1
  }
}

function nextLook(schedule: Times, now: number): number {
  const begun = nextRun(schedule, now - (schedule.spread ?? 0) * minute)
  return begun <= now ? Math.floor(now / minute) * minute + minute : begun
}
