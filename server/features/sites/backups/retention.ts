import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Retention } from '#shared/rules/backups.ts'
import { localTime, type LocalTime } from './local-time.ts'

/** What retention knows of a backup. `at`: milliseconds since 1970. */
export interface Kept extends Pick<SiteBackup, 'name' | 'proof' | 'pinned'> {
  readonly at: number
}

const days = ({ year, month, day }: LocalTime): number => Date.UTC(year, month - 1, day) / 86_400_000

/** What two backups have in common that count as one of a kind of period. */
const periods: Readonly<Record<keyof Retention, (time: LocalTime) => string>> = {
  keep_hourly: (time) => `${days(time)} ${time.hour}`,
  keep_daily: (time) => `${days(time)}`,
  keep_weekly: (time) => `${days(time) - time.weekday}`,
  keep_monthly: ({ year, month }) => `${year}-${month}`,
  keep_yearly: ({ year }) => `${year}`,
}

/**
 * Which backups of a site stay: of each kind of period the newest backup of as many periods as are kept, the pinned ones, and the last
 * proven one. One whose proof failed stays for its period only if there is no other. Without any number, all of them.
 */
export function retained(backups: readonly Kept[], retention: Retention, timeZone: string): Set<string> {
  const newestFirst = backups.toSorted((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1))
  const kinds = Object.keys(periods) as (keyof Retention)[]
  if (kinds.every((kind) => retention[kind] === 0)) return new Set(backups.map(({ name }) => name))
  const kept = new Set(newestFirst.filter(({ pinned }) => pinned === 1).map(({ name }) => name))
  const proven = newestFirst.find(({ proof }) => proof === 'Proven')
  if (proven) kept.add(proven.name)
  for (const kind of kinds) {
    const byPeriod = Map.groupBy(newestFirst, ({ at }) => periods[kind](localTime(at, timeZone)))
    for (const [newest, ...others] of [...byPeriod.values()].slice(0, retention[kind])) {
      const good = newest?.proof === 'Failed' ? others.find(({ proof }) => proof !== 'Failed') : null
      kept.add((good ?? newest)?.name ?? '')
    }
  }
  return kept
}
