import type { BackupSchedule } from '#shared/doctypes/backup-schedule.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Retention } from '#shared/rules/backups.ts'
import { localTime, nextPeriod, nextRun, offsetOf, type LocalTime } from './local-time.ts'

/** What retention knows of a backup. `at`: milliseconds since 1970. */
export interface Kept extends Pick<SiteBackup, 'name' | 'proof' | 'pinned'> {
  readonly at: number
}

const days = ({ year, month, day }: LocalTime): number => Date.UTC(year, month - 1, day) / 86_400_000

/** The kinds of periods, and what two backups have in common that count as one of such a period. */
const periods: Readonly<Record<keyof Retention, [Parameters<typeof nextPeriod>[0], (time: LocalTime) => string]>> = {
  keep_hourly: ['hour', (time) => `${days(time)} ${time.hour}`],
  keep_daily: ['day', (time) => `${days(time)}`],
  keep_weekly: ['week', (time) => `${days(time) - time.weekday}`],
  keep_monthly: ['month', ({ year, month }) => `${year}-${month}`],
  keep_yearly: ['year', ({ year }) => `${year}`],
}
const kinds = Object.keys(periods) as (keyof Retention)[]

const newestFirst = (backups: readonly Kept[]): Kept[] =>
  backups.toSorted((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1))

/** Of each period of a kind the backup that stays for it, the newest period first. */
function ofPeriods(sorted: readonly Kept[], kind: keyof Retention, timeZone: string): Kept[] {
  const [, period] = periods[kind]
  const byPeriod = Map.groupBy(sorted, ({ at }) => period(localTime(at, timeZone)))
  return [...byPeriod.values()].flatMap(([newest, ...others]) => {
    const good = newest?.proof === 'Failed' ? others.find(({ proof }) => proof !== 'Failed') : null
    return good ?? newest ?? []
  })
}

/**
 * Which backups of a site stay: of each kind of period the newest backup of as many periods as are kept, the pinned ones, and the last
 * proven one. One whose proof failed stays for its period only if there is no other. Without any number, all of them.
 */
export function retained(backups: readonly Kept[], retention: Retention, timeZone: string): Set<string> {
  if (kinds.every((kind) => retention[kind] === 0)) return new Set(backups.map(({ name }) => name))
  const sorted = newestFirst(backups)
  const kept = new Set(sorted.filter(({ pinned }) => pinned === 1).map(({ name }) => name))
  const proven = sorted.find(({ proof }) => proof === 'Proven')
  if (proven) kept.add(proven.name)
  for (const kind of kinds)
    for (const { name } of ofPeriods(sorted, kind, timeZone).slice(0, retention[kind])) kept.add(name)
  return kept
}

/** When a site is backed up. */
type Times = Pick<BackupSchedule, 'every' | 'at' | 'time_zone' | 'spread'> & { readonly site: string }

/**
 * Until when backups of a site are kept (milliseconds since 1970) if it goes on being backed up as its schedule says. Missing: it is not known,
 * as for pinned ones, and for the last proven one once nothing else keeps it. `now` null: the site is gone, its time ends as if it
 * had gone on.
 */
export function keptUntil(
  backups: readonly Kept[],
  retention: Retention,
  times: Times,
  now: number | null,
): Map<string, number> {
  const zone = times.time_zone ?? 'Etc/UTC'
  const sorted = newestFirst(backups)
  const [newest] = sorted
  const ends = new Map<string, number>()
  if (!newest) return ends
  const runAfter = (at: number) => nextRun(times, at - offsetOf(times, times.site)) + offsetOf(times, times.site)
  for (const kind of kinds.filter((one) => retention[one] > 0)) {
    const [length, period] = periods[kind]
    const periodOf = (at: number) => period(localTime(at, zone))
    const stay = ofPeriods(sorted, kind, zone).slice(0, retention[kind])
    /** The first runs of the periods to come. */
    const begins: number[] = []
    for (let [at, known] = [now ?? newest.at, periodOf(newest.at)]; begins.length < retention[kind];) {
      // Where runs are farther apart than periods, each begins one.
      at = periodOf(at) === known ? runAfter(nextPeriod(length, at, zone) - 1) : runAfter(at)
      known = periodOf(at)
      begins.push(at)
    }
    stay.forEach(({ name, at }, newer) => {
      let end = begins[retention[kind] - newer - 1] ?? 0
      // Another one takes its place before its period is over.
      if (now !== null && newer === 0 && periodOf(runAfter(now)) === periodOf(at)) end = runAfter(now)
      ends.set(name, Math.max(end, ends.get(name) ?? 0))
    })
  }
  const lastProven = sorted.find(({ proof }) => proof === 'Proven')
  for (const { name, pinned } of sorted)
    if (pinned === 1 || (now === null && name === lastProven?.name)) ends.delete(name)
  return ends
}
