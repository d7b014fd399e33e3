/** What a restore can bring back whole. */
export const backupWhats = ['all', 'files', 'database'] as const

/** Some of the files and tables of a backup, each of which gets the state it had then. */
export interface BackupParts {
  /** Files and folders below that of the site, none of them inside another one. */
  readonly paths: readonly string[]
  readonly tables: readonly string[]
}

/** What a restore brings back. */
export type BackupWhat = (typeof backupWhats)[number] | BackupParts

/** Whether a restore changes the database, if the site has one. */
export const restoresDatabase = (what: BackupWhat): boolean =>
  typeof what === 'string' ? what !== 'files' : what.tables.length > 0

/** What names of tables begin with where paths are named, too. */
export const tableMark = 'table:'

/** Days that the state before a restore is kept. */
export const restoredKeptDays = 7

/** Files, folders and tables that can be named in one restore. */
export const maxBackupParts = 200

/** Where a restore goes. */
export const restoreTargets = ['in_place', 'new_site'] as const

/** What is wrong with a backup, in a person's words, and what shows it. */
export interface BackupDefect {
  readonly defect: string
  readonly evidence: string
}

/** The store in the folder of this installation; the others are named by their connections. */
export const localBackups = 'local'

/** Backups that EasyEngine made by itself and keeps; nobody here can read them. */
export const easyengineBackups = 'easyengine'

/** How often a schedule backs up. */
export const backupPeriods = ['hour', 'day', 'week', 'month'] as const

/** The highest limit of scheduled backups that are made at the same time on a server. */
export const maxBackupsAtOnce = 50

/** How many backups of each kind of period are kept unless others are chosen. */
export const retentionDefaults = {
  keep_hourly: 0,
  keep_daily: 7,
  keep_weekly: 4,
  keep_monthly: 6,
  keep_yearly: 0,
} as const

/** See `retentionDefaults`. */
export type Retention = Readonly<Record<keyof typeof retentionDefaults, number>>

/** What is known about whether a backup can be restored. Clients depend on these values. */
export const backupProofs = ['Proven', 'Failed', 'Inconclusive', 'Not Tested'] as const

/** How long a backup can be looked at as a site. */
export const openMinutes = 30

/** How many backups of an organization can be open at once. */
export const maxOpenBackups = 5
