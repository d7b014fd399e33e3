/** What a site at WP Cloud can be given (https://wp.cloud/docs/, "Configure resources"). */

/** PHP memory of a request, MB. */
export const wpcMemoryMb = [512, 1024, 1536, 2048] as const
/** PHP processes that a site always has. More are by arrangement with WP Cloud. */
export const wpcWorkers = { min: 2, max: 10 } as const
/** GB of files. What is below 25 is billed as 25; more than 200 is by arrangement with WP Cloud. */
export const wpcSpaceGb = { min: 1, billed: 25, max: 200 } as const
/** For how long defensive mode can be on, minutes. */
export const wpcDefenseMinutes = { min: 30, max: 10_080 } as const

/** GB of a quota such as `50G`; null if it is none that WP Cloud gives. */
export function spaceGbOf(quota: string): number | null {
  const [, digits] = /^(\d{1,4})G?$/i.exec(quota.trim()) ?? []
  const gb = Number(digits)
  return gb >= wpcSpaceGb.min && gb <= wpcSpaceGb.max ? gb : null
}

/** What a backup at WP Cloud holds: files or the database. */
export const wpcBackupKinds = ['fs', 'db'] as const
export type WpcBackupKind = (typeof wpcBackupKinds)[number]

/** Times for which metrics are shown, up to now. */
export const wpcRanges = ['1h', '6h', '24h', '7d'] as const

/** A name that WP Cloud takes for an SSH user: five characters at least, not all digits. */
export const isWpcSshUser = (name: string): boolean => /^[a-z][a-z0-9._-]{4,59}$/.test(name)
