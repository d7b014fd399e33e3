/** Parts of a site that a restore can bring back. */
export const backupWhats = ['all', 'files', 'database'] as const

/** See `backupWhats`. */
export type BackupWhat = (typeof backupWhats)[number]

/** Where a restore goes. */
export const restoreTargets = ['in_place', 'new_site'] as const

/** What is wrong with a backup, in a person's words, and what shows it. */
export interface BackupDefect {
  readonly defect: string
  readonly evidence: string
}
