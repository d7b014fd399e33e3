import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sweep } from '#server/contracts/schedule.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { statIfExists } from '#server/platform/files/exists.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { connectionKinds } from '#shared/doctypes/connections.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { SitesDeps } from '../deps.ts'
import { workFolder } from './backup-parts.ts'
import { applyRetention } from './backup-schedules.ts'
import type { ArchiveRef, BackupStore } from './backup-store.ts'
import { removeAllExpired } from './discard.ts'
import { endSilent } from './ee-callbacks.ts'
import { removeOldStates } from './old-states.ts'
import { sweepLists } from './sealed-lists.ts'
import { localStore, storeOf } from './stores.ts'

const hourMs = 3_600_000

/** Deletes backups that are no longer kept, and archives that no document describes: of deleted backups and organizations, and of jobs that were killed. */
export function backupSweep(deps: SitesDeps): Sweep {
  const { clock = systemClock } = deps
  return {
    name: deps.machine ? `backups.sweep ${deps.machine}` : 'backups.sweep',
    everySeconds: 3_600,
    async run() {
      // Of jobs that were killed and never went on: none takes that long.
      for (const folder of [workFolder(deps), join(deps.backupsFolder, 'packed')])
        await removeOlder(folder, clock.now() - 24 * hourMs)
      await sweepLists(deps)
      await removeOldStates(deps)
      await endSilent(deps)
      const removed = await applyRetention(deps)
      return removed + (await sweepStore(deps, localStore(deps), (backup) => !backup || backup.status === 'Failed'))
    },
  }
}

/** Removes from a folder what nothing was put into since a time: each job, or site, has a folder of its own there. */
async function removeOlder(folder: string, before: number): Promise<void> {
  for (const name of await listNames(folder)) {
    const path = join(folder, name)
    const found = await statIfExists(path)
    if (found && found.mtimeMs < before) await rm(path, { recursive: true, force: true })
  }
}

/**
 * Deletes what expired in buckets, and what failed backups left there. Archives that no document describes are counted and kept: every
 * archive of ours has one until it is gone, so they are those of another installation, or of a database that was put back.
 */
export function bucketSweep(deps: SitesDeps): Sweep {
  const { documents, log } = deps
  const run = <T>(work: (tx: Tx) => Promise<T>) => documents().transaction(systemSession('schedule'), work)
  return {
    name: 'backups.buckets',
    everySeconds: 3_600,
    async run() {
      let removed = await removeAllExpired(deps)
      for (const connection of await run((tx) =>
        tx.list(ConnectionDoctype, [
          ['kind', '=', connectionKinds.bucket],
          ['status', '=', 'Connected'],
        ]),
      ))
        removed += await sweepBucket(deps, connection).catch((error: unknown) => {
          log.warn('A bucket could not be swept', { connection: connection.name, error })
          return 0
        })
      return removed
    },
  }
}

async function sweepBucket(deps: SitesDeps, { name, organization }: Connection): Promise<number> {
  const run = <T>(work: (tx: Tx) => Promise<T>) => deps.documents().transaction(systemSession('schedule'), work)
  const store = await run((tx) => storeOf(deps, tx, { organization, store: name }))
  const unknown = { count: 0, bytes: 0 }
  const removed = await sweepStore(deps, store, (backup, bytes) => {
    if (backup) return backup.status === 'Failed' && backup.store === name
    unknown.count += 1
    unknown.bytes += bytes
    return false
  })
  await run((tx) => tx.updateColumns(ConnectionDoctype, name, { unknown_archives: unknown }))
  return removed
}

/** Removes what an hour later is still not complete, or not to be kept. */
async function sweepStore(
  deps: SitesDeps,
  store: BackupStore,
  isOrphan: (backup: SiteBackup | null, bytes: number) => boolean,
): Promise<number> {
  const { clock = systemClock, documents, log } = deps
  // No upload takes that long.
  let removed = await store.removeUnfinished(clock.now() - 24 * hourMs)
  const orphans: ArchiveRef[] = []
  for await (const archive of store.list()) {
    if (archive.at >= clock.now() - hourMs) continue
    const backup = await documents().transaction(systemSession('schedule'), (tx) =>
      tx.get(SiteBackupDoctype, archive.name),
    )
    if (isOrphan(backup, archive.bytes)) orphans.push(archive)
  }
  for (const archive of orphans)
    try {
      await store.remove(archive)
      removed += 1
    } catch (error) {
      // One that the store keeps does not keep the others.
      log.warn('An archive that is left over could not be removed', { backup: archive.name, error })
    }
  return removed
}
