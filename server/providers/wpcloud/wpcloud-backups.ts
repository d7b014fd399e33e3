import * as z from 'zod/mini'
import type { WpcBackupKind } from '#shared/rules/wp-cloud.ts'
import { nullIfMissing, type VendorApi } from '../vendor-api.ts'
import { ask, idOf, numeral } from './wpcloud-api.ts'

/** A backup that WP Cloud keeps. */
export interface WpCloudBackup {
  readonly id: string
  readonly kind: WpcBackupKind
  /** Somebody asked for it: it stays until somebody deletes it. */
  readonly isOnDemand: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Backups at WP Cloud, of files or of the database (https://wp.cloud/docs/, "Restore a backup"). */
export interface WpCloudBackups {
  /** Newest first. */
  backups(site: string, signal?: AbortSignal): Promise<readonly WpCloudBackup[]>
  /** Asks for a backup, which is in the list once it is complete. Throws ProviderError 403 at the quota. */
  requestBackup(site: string, kind: WpcBackupKind, signal?: AbortSignal): Promise<void>
  /** Asks for the deletion of a backup on demand, which is gone from the list once that is done. */
  deleteBackup(site: string, backup: string, signal?: AbortSignal): Promise<void>
  /**
   * Puts a backup of the files and one of the database in place of a site, which must be suspended with 503 and have said so
   * (`allow_restore`); the job that does it.
   */
  restore(site: string, backups: readonly [string, string], signal?: AbortSignal): Promise<string>
}

const list = z.array(
  z.object({
    atomic_backup_id: numeral,
    backup_timestamp: z.union([z.string().check(z.maxLength(40)), z.number()]),
    type: z.string().check(z.maxLength(40)),
  }),
)

export function wpCloudBackups(api: VendorApi, client: string): WpCloudBackups {
  return {
    async backups(site, signal) {
      const rows = await ask(api, { path: `/site-backups-list/${client}/${idOf(site)}`, signal }, list)
      return rows
        .flatMap(({ atomic_backup_id: id, backup_timestamp: stamp, type }) => {
          const at = timeOf(stamp)
          const [, onDemand, kind] = /^(ondemand-)?(fs|db)$/.exec(type) ?? []
          if (kind === undefined || at === null) return []
          return [{ id, kind: kind as WpcBackupKind, isOnDemand: onDemand !== undefined, at }]
        })
        .toSorted((one, other) => other.at - one.at)
    },
    async requestBackup(site, kind, signal) {
      await ask(api, { method: 'POST', path: `/on-demand-backup/create/${idOf(site)}/${kind}`, signal }, z.unknown())
    },
    async deleteBackup(site, backup, signal) {
      const path = `/on-demand-backup/delete/${idOf(site)}/${idOf(backup)}`
      // It may have been deleted meanwhile.
      await nullIfMissing(ask(api, { method: 'POST', path, signal }, z.unknown()))
    },
    async restore(site, backups, signal) {
      const request = { method: 'POST', path: `/restore-site/${idOf(site)}`, form: { restore_from: backups } } as const
      return (await ask(api, { ...request, signal }, z.object({ atomic_job_id: numeral }))).atomic_job_id
    },
  }
}

/** Times are UTC, in seconds since the epoch or as SQL has them. */
function timeOf(stamp: string | number): number | null {
  if (/^\d{9,11}$/.test(String(stamp))) return Number(stamp) * 1000
  const text = String(stamp).trim().replace(' ', 'T')
  const at = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)
  return Number.isNaN(at) ? null : at
}
