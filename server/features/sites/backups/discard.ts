import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import { easyengineBackups, localBackups } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { backupReference, showAtSite, writeBackup } from './backup-parts.ts'
import { keptFor, needing, needingNow } from './increments/chains.ts'
import { closeOpened } from './open-job.ts'
import { removeLists } from './sealed-lists.ts'
import { localStore, storeOf } from './stores.ts'

const hourMs = 3_600_000
/** The tenth attempt is six weeks after the first: object locks are shorter, and what is refused then stays refused. */
const maxTries = 10

/**
 * Deletes a backup. One in a bucket stays as `Expired` until its archive is gone: the store may refuse, which is shown on it, and an
 * archive without a document is not known to be ours. So does one whose archive other backups need. What EasyEngine keeps stays there. `bySweep`: not at once, but with the next sweep, one after another.
 */
export async function discard(
  deps: SitesDeps,
  tx: Tx,
  backup: SiteBackup,
  { activity, bySweep = false }: { activity?: false; bySweep?: boolean } = {},
): Promise<void> {
  await closeOpened(deps, tx, backup)
  const needed = (await needingNow(tx, backup)).length
  if (needed === 0 && (backup.store === localBackups || backup.store === easyengineBackups)) {
    await tx.delete(SiteBackupDoctype, backup.name, activity === undefined ? {} : { activity })
    return
  }
  const now = formatTimestamp((deps.clock ?? systemClock).now())
  await tx.update(
    SiteBackupDoctype,
    backup.name,
    {
      status: 'Expired',
      expires: now,
      removal_due: now,
      removal_tries: 0,
      ...serializeMessage('error_message', needed > 0 ? keptFor(needed) : null),
    },
    { hooks: false, activity: false },
  )
  await showAtSite(tx, backup.site)
  if (activity === undefined)
    await tx.activity({
      action: `${SiteBackupDoctype.name}.delete`,
      ...(await backupReference(tx, backup)),
    })
  if (bySweep || needed > 0) return
  // Nobody waits for the store. What does not come to an end here is found by the sweep.
  tx.afterCommit(() => {
    removeExpired(deps, backup.name).catch((error: unknown) =>
      deps.log.error('An expired backup could not be removed', { backup: backup.name, error }),
    )
  })
}

/** Names of the backups of an organization of which sites are being made. */
export async function takenNow(tx: Tx, organization: string): Promise<ReadonlySet<string | null>> {
  const made = await tx.listFields(
    SiteDoctype,
    ['import_backup'],
    [
      ['organization', '=', organization],
      ['import_backup', 'is', 'set'],
      ['locked_by_job', 'is', 'set'],
    ],
  )
  return new Set(made.map((site) => site.import_backup))
}

/** Removes what this machine has of a deleted backup. What fails now is found by the sweep. */
export async function removeLocal(deps: SitesDeps, name: string): Promise<void> {
  await Promise.all([localStore(deps).remove({ name, site_domain: null }), removeLists(deps, name)]).catch(
    (error: unknown) => deps.log.warn('The archive of a deleted backup could not be removed', { backup: name, error }),
  )
}

/** Removes the archive of an expired backup, then the backup; says on it why that is not possible. Whether it is gone. */
async function removeExpired(deps: SitesDeps, name: string): Promise<boolean> {
  const { clock = systemClock, documents, log } = deps
  const run = <T>(work: (tx: Tx) => Promise<T>) => documents().transaction(systemSession('schedule'), work)
  const backup = await run((tx) => tx.get(SiteBackupDoctype, name))
  if (backup?.status !== 'Expired') return false
  // Nothing new can need what nobody can restore any more: so this stays true.
  if ((await run((tx) => needing(tx, backup))).length > 0) return false
  try {
    const store = await run((tx) => storeOf(deps, tx, backup))
    // That of a local one goes with its document.
    if (backup.store !== localBackups) await store.remove(backup)
  } catch (error) {
    log.warn('The archive of an expired backup could not be removed', { backup: name, error })
    const tries = (backup.removal_tries ?? 0) + 1
    const reason =
      error instanceof AppError
        ? msg`It could not be deleted from its store: ${error.localized} ${error.nextAction ?? msg`Then delete it again.`}`
        : msg`It could not be deleted from its store. The log of this installation says more.`
    await run((tx) =>
      writeBackup(tx, name, {
        removal_tries: tries,
        removal_due: tries < maxTries ? formatTimestamp(clock.now() + hourMs * 2 ** (tries - 1)) : null,
        ...serializeMessage('error_message', reason),
      }),
    )
    return false
  }
  return run(async (tx) => {
    const now = await tx.get(SiteBackupDoctype, name, { lock: true })
    if (now?.status !== 'Expired') return false
    await tx.delete(SiteBackupDoctype, name, { activity: false })
    return true
  })
}

/** Tries again what could not be removed, now and then and not for ever. Returns how many are gone. */
export async function removeAllExpired(deps: SitesDeps): Promise<number> {
  const { clock = systemClock, documents } = deps
  const due = await documents().transaction(systemSession('schedule'), (tx) =>
    tx.listFields(
      SiteBackupDoctype,
      ['name'],
      [
        ['status', '=', 'Expired'],
        ['removal_due', '<=', formatTimestamp(clock.now())],
      ],
    ),
  )
  let removed = 0
  for (const { name } of due) if (await removeExpired(deps, name)) removed += 1
  return removed
}
