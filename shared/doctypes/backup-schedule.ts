import { doctype, type Doc } from '../doctype.ts'
import { check, data, datetime, int, link, select } from '../fields.ts'
import { backupPeriods, maxBackupsAtOnce, retentionDefaults } from '../rules/backups.ts'
import { ownOrShared } from './site-actions/grants.ts'

const kept = (label: string, initial: number) => int({ default: initial, min: 0, max: 1_000, label })
const all = { read: true, create: true, write: true, delete: true } as const
const measured = { read_only: true, server_owned: true } as const

/** When sites are backed up by themselves, and which backups are kept. */
export const BackupScheduleDoctype = doctype('Backup Schedule', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'sites',
  naming: 'random',
  title_field: 'every',
  plural: 'Backup schedules',
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    /** Null: all sites of the organization that have none of their own. */
    site: link('Site', { set_only_once: true, in_standard_filter: true }),
    enabled: check({ default: 1 }),
    every: select(backupPeriods, { default: 'day', label: 'Every' }),
    at: data({
      default: '03:00',
      length: 5,
      format: 'time',
      description: 'HH:MM. For hourly backups, only the minutes are used.',
    }),
    time_zone: data({ default: 'Etc/UTC', format: 'timezone', length: 60, label: 'Time zone' }),
    spread: int({
      default: 0,
      min: 0,
      max: 720,
      label: 'Spread over',
      description: 'Minutes. Each site begins at a time of its own within them.',
    }),
    /** Both are null: backups begin at any time. A window can end on the next day. */
    window_from: data({
      length: 5,
      format: 'time',
      label: 'Only from',
      description: 'HH:MM, the time at which backups can begin. Empty: at any time.',
    }),
    window_until: data({
      length: 5,
      format: 'time',
      label: 'Until',
      description: 'HH:MM. What did not begin by then waits for the next day.',
    }),
    /** Only of the organization, for the backups of all of its schedules; 0: no limit. */
    per_server: int({
      default: 0,
      min: 0,
      max: maxBackupsAtOnce,
      label: 'At the same time on a server',
      description:
        'Scheduled backups wait until fewer are being made there, also those of sites with a schedule of their own. 0: no limit.',
    }),
    /** `local` or the name of a Connection; null: the store of the organization. */
    store: data({ length: 10, label: 'Stored at' }),
    before_changes: check({
      default: 1,
      label: 'Also before changes',
      description: 'Updates, another domain or database, networks and pushes begin with a backup.',
    }),
    prove_on_server: check({
      label: 'Also test on its server',
      description: 'What can’t be judged here is tried out where the site runs, in containers without a network.',
    }),
    keep_hourly: kept('Hourly', retentionDefaults.keep_hourly),
    keep_daily: kept('Daily', retentionDefaults.keep_daily),
    keep_weekly: kept('Weekly', retentionDefaults.keep_weekly),
    keep_monthly: kept('Monthly', retentionDefaults.keep_monthly),
    keep_yearly: kept('Yearly', retentionDefaults.keep_yearly),
    next_run: datetime({ ...measured, label: 'Next backup' }),
    last_run: datetime({ ...measured, label: 'Last run' }),
    /** Until when it is known which sites were due. */
    checked_until: datetime({ ...measured, label: 'Checked until' }),
  },
  list: { order_by: 'creation asc', filter_fields: ['site'] },
  indexes: [
    { fields: ['organization'], unique: true, where: 'site is null' },
    { fields: ['site'], unique: true, where: 'site is not null' },
  ],
  permissions: {
    'Platform Admin': { read: true },
    Owner: all,
    'Organization Admin': all,
    'Organization Manager': all,
    'Organization User': {
      // What holds for a site without an own schedule is for everyone to see who sees the site.
      read: { any: [['site', 'is', 'not set'], { link: 'site', matches: ownOrShared('read') }] },
      create: { link: 'site', matches: ownOrShared('write') },
      write: { link: 'site', matches: ownOrShared('write') },
      delete: { link: 'site', matches: ownOrShared('write') },
    },
  },
})

/** A schedule document. */
export type BackupSchedule = Doc<typeof BackupScheduleDoctype>
