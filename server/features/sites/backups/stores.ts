import { join } from 'node:path'
import type { Tx } from '#server/contracts/transaction.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { localBackups } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { folderStore, type BackupStore } from './backup-store.ts'
import { bucketStore } from './bucket-store.ts'

/** The store in the folder of this machine. */
export const localStore = ({ backupsFolder }: Pick<SitesDeps, 'backupsFolder'>): BackupStore =>
  folderStore(join(backupsFolder, 'store'))

/**
 * The store that an organization calls so: `local`, or the name of one of its connections to a bucket. Opens nothing yet. Throws AppError
 * `invalid` (field `store`) if there is none, or if it is another organization's.
 */
export async function storeOf(
  deps: Pick<SitesDeps, 'backupsFolder' | 'bucketOf'>,
  tx: Tx,
  { organization, store }: Pick<SiteBackup, 'organization' | 'store'>,
): Promise<BackupStore> {
  if (store === null || store === localBackups) return localStore(deps)
  return bucketStore(await deps.bucketOf(tx, organization, store), organization)
}
