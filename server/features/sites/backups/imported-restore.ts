import type { Tx } from '#server/contracts/transaction.ts'
import { easyengineBackupId } from '#server/engines/native-backup-id.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { requireCapability } from '../engine-of.ts'
import { enqueueFor } from '../enqueue-site.ts'
import type { ImportedArgs } from './restore-imported-job.ts'
import { scheduleOf } from './schedule-of.ts'

/** What EasyEngine calls a backup that it keeps, and when it began it; null if it did not say where that is. */
export function nativeIdOf({ remote_path: path }: Pick<SiteBackup, 'remote_path'>): {
  readonly id: string
  readonly domain: string
  readonly began: number
} | null {
  const [id = '', domain = ''] = (path ?? '').split(/[/:]/).toReversed()
  const [, seconds] = easyengineBackupId.exec(id) ?? []
  return seconds === undefined ? null : { id, domain, began: Number(seconds) * 1_000 }
}

/** Begins to have EasyEngine put back a backup that it keeps: all of it, over the site that it is of. */
export async function enqueueImportedRestore(
  deps: SitesDeps,
  tx: Tx,
  backup: SiteBackup,
  { isWhole, isNew }: { readonly isWhole: boolean; readonly isNew: boolean },
): Promise<{ job: string; site: string }> {
  if (isNew)
    throw new AppError('unsupported', msg`EasyEngine restores its backups only in place.`, {
      field: 'target',
      nextAction: msg`Choose a backup that Easydash made.`,
    })
  if (!isWhole)
    throw new AppError('unsupported', msg`EasyEngine restores everything that is in a backup.`, {
      field: 'what',
      nextAction: msg`Choose everything, or a backup that Easydash made.`,
    })
  const site = await tx.get(SiteDoctype, backup.site)
  if (site === null)
    throw new AppError(
      'conflict',
      msg`The site of this backup no longer exists, and EasyEngine restores only over it.`,
      {
        nextAction: msg`Choose a backup that Easydash made.`,
      },
    )
  const id = nativeIdFor(backup, site)
  await assertNotLocked(tx, backup)
  const { engine } = await requireCapability(deps, tx, site, 'restore')
  await requireCapability(deps, tx, site, 'backup')
  if (engine.restores.native === undefined)
    throw new AppError('unsupported', msg`The server of the site has no EasyEngine.`)
  const { name, wordpress_version: wordpressVersion, counts } = backup
  const args: Omit<ImportedArgs, 'site' | 'engine' | 'was'> = {
    backup: name,
    native: { id, wordpressVersion, counts },
    // EasyEngine keeps no state before: whatever the schedule says, it is in a backup.
    backup_to: (await scheduleOf(tx, site))?.store ?? null,
  }
  const { job } = await enqueueFor(deps, tx, site, 'site.restore_imported', args)
  return { job, site: site.name }
}

/** The id of a backup that EasyEngine can have for a site as it is now. Throws AppError `conflict` for any other. */
function nativeIdFor(backup: SiteBackup, site: Site): string {
  if (site.status !== 'Live' && site.status !== 'Failed')
    throw new AppError('conflict', msg`Only a site that is live or failed can be restored in place.`, {
      nextAction: msg`Resume or restore the site first.`,
    })
  if (backup.server !== site.server)
    throw new AppError(
      'conflict',
      msg`The site is on another server by now than the one whose EasyEngine made this backup.`,
      {
        nextAction: msg`Choose a backup of the site as it is there.`,
      },
    )
  const native = nativeIdOf(backup)
  if (native === null)
    throw new AppError('conflict', msg`EasyEngine did not say where it keeps this backup.`, {
      nextAction: msg`Restore it on the server: ee site restore.`,
    })
  if (native.domain !== site.domain)
    throw new AppError(
      'conflict',
      msg`EasyEngine keeps this backup for ${native.domain}, which the site is no longer called.`,
      {
        nextAction: msg`Choose a backup of the site with its name.`,
      },
    )
  return native.id
}
