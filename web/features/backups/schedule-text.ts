import type { BackupSchedule } from '#shared/doctypes/backup-schedule.ts'
import { retentionDefaults, type Retention } from '#shared/rules/backups.ts'
import { currentTimeZone } from '#shared/rules/time-zones.ts'
import type { SelectedRow } from '#web/lib/api/list-rows.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import { t } from './messages.ts'

/** Fields that say how many backups are kept. */
export const keepNames = Object.keys(retentionDefaults) as (keyof Retention)[]

/** Fields of a schedule that screens read. */
export const scheduleFields = [
  'name',
  'modified',
  'site',
  'enabled',
  'every',
  'at',
  'time_zone',
  'spread',
  'window_from',
  'window_until',
  'per_server',
  'store',
  'before_changes',
  'prove_on_server',
  'keep_hourly',
  'keep_daily',
  'keep_weekly',
  'keep_monthly',
  'keep_yearly',
  'next_run',
] as const

/** A schedule as screens read it. */
export type ScheduleRow = SelectedRow<'Backup Schedule', (typeof scheduleFields)[number]>

const all = new Intl.ListFormat(locale, { type: 'conjunction' })

/** How many backups a schedule keeps. */
export const retentionOf = (schedule: Partial<Pick<BackupSchedule, keyof Retention>>): Retention =>
  Object.fromEntries(keepNames.map((name) => [name, schedule[name] ?? 0])) as unknown as Retention

/** What a schedule does, in a few sentences. `limit`: that of the organization, for backups at the same time on a server. */
export function scheduleText(schedule: ScheduleRow | undefined, limit: number | null | undefined): string {
  if (schedule?.enabled !== 1) return t('schedule.off')
  const at = schedule.at ?? '00:00'
  const zone = currentTimeZone(schedule.time_zone ?? 'Etc/UTC').replaceAll('_', ' ')
  const begin = t(`schedule.${schedule.every ?? 'day'}`, { at, minute: at.slice(3), zone })
  const minutes = schedule.spread ?? 0
  const spread = minutes === 0 ? begin : t('schedule.spread', { when: begin, minutes: formatNumber(minutes) })
  const { window_from: from, window_until: until } = schedule
  const when = from && until ? t('schedule.window', { when: spread, from, until }) : spread
  const retention = retentionOf(schedule)
  const kept = keepNames
    .filter((name) => retention[name] > 0)
    .map((name) => t(`schedule.${name}`, { count: formatNumber(retention[name]) }))
  const text = t('schedule.text', {
    when,
    kept: kept.length === 0 ? t('schedule.kept_all') : t('schedule.kept', { kept: all.format(kept) }),
  })
  const limited = limit ? t('schedule.per_server', { text, count: limit }) : text
  const first = schedule.before_changes === 1 ? t('schedule.before_changes', { text: limited }) : limited
  return schedule.prove_on_server === 1 ? t('schedule.prove_on_server', { text: first }) : first
}
