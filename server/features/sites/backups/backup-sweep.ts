import { mkdir, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sweep } from '#server/contracts/schedule.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { statIfExists } from '#server/platform/files/exists.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { connectionKinds } from '#shared/doctypes/connections.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { SitesDeps } from '../deps.ts'
import { workFolder } from './backup-parts.ts'
import { applyRetention } from './apply-retention.ts'
import { archiveEnding, type ArchiveRef, type BackupStore, type StoredArchive } from './backup-store.ts'
import { removeAllExpired } from './discard.ts'
import { endSilent } from './ee-callbacks.ts'
import { removeOldStates } from './old-states.ts'
import { sweepLists } from './sealed-lists.ts'
import { localStore, storeOf } from './stores.ts'

const hourMs = 3_600_000

/** What nobody needs any more: that a backup failed, and an archive that no backup describes. */
const keptAsideMs = 30 * 24 * hourMs
const asideFolder = ({ backupsFolder }: SitesDeps): string => join(backupsFolder, 'unknown')

/**
 * Deletes backups that are no longer kept, and what failed ones left. Archives that no document describes are of deleted organizations, and of
 * deletions that were killed; or of a database that was lost or put back, which somebody has to have time to notice: they are set aside.
 */
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
      await removeOlder(asideFolder(deps), clock.now() - keptAsideMs)
      const removed = (await removeOldFailures(deps)) + (await applyRetention(deps))
      const store = localStore(deps)
      const ends = await sweepStore(deps, store, (backup) => {
        if (backup === null) return (archive) => setAside(deps, archive)
        return backup.status === 'Failed' ? store.remove : null
      })
      return removed + ends
    },
  }
}

/** Moves an archive that no document describes out of the store of this machine. */
async function setAside(deps: SitesDeps, { name }: ArchiveRef): Promise<void> {
  const at = new Date((deps.clock ?? systemClock).now())
  const aside = join(asideFolder(deps), `${name}${archiveEnding}`)
  await mkdir(asideFolder(deps), { recursive: true, mode: 0o700 })
  await rename(join(deps.backupsFolder, 'store', `${name}${archiveEnding}`), aside)
  // It is kept from now on.
  await utimes(aside, at, at)
  deps.log.warn('No backup describes this archive: it is kept aside for 30 days', { archive: aside })
}

/** Removes what is said of backups that failed a while ago: one that fails every hour would fill the lists. */
async function removeOldFailures({ documents, clock = systemClock }: SitesDeps): Promise<number> {
  return documents().transaction(systemSession('schedule'), async (tx) => {
    const old = await tx.listFields(
      SiteBackupDoctype,
      ['name'],
      [
        ['status', '=', 'Failed'],
        ['locked_by_job', 'is', 'not set'],
        ['modified', '<', formatTimestamp(clock.now() - keptAsideMs)],
      ],
      { limit: 1_000 },
    )
    for (const { name } of old) await tx.delete(SiteBackupDoctype, name, { activity: false })
    return old.length
  })
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
    if (backup) return backup.status === 'Failed' && backup.store === name ? store.remove : null
    unknown.count += 1
    unknown.bytes += bytes
    return null
  })
  await run((tx) => tx.updateColumns(ConnectionDoctype, name, { unknown_archives: unknown }))
  return removed
}

/** Removes what an hour later is still not complete; `endOf` says what ends other archives that are left over. */
async function sweepStore(
  deps: SitesDeps,
  store: BackupStore,
  endOf: (backup: SiteBackup | null, bytes: number) => ((archive: ArchiveRef) => Promise<void>) | null,
): Promise<number> {
  const { clock = systemClock, documents, log } = deps
  const endNow = async ({ name, bytes }: StoredArchive) =>
    endOf(await documents().transaction(systemSession('schedule'), (tx) => tx.get(SiteBackupDoctype, name)), bytes)
  // No upload takes that long.
  let removed = await store.removeUnfinished(clock.now() - 24 * hourMs)
  const leftOver: StoredArchive[] = []
  for await (const archive of store.list())
    if (archive.at < clock.now() - hourMs && (await endNow(archive))) leftOver.push(archive)
  for (const archive of leftOver)
    try {
      // A large bucket takes minutes to list: a failed backup can have been tried again meanwhile.
      const end = await endNow(archive)
      if (end === null) continue
      await end(archive)
      removed += 1
    } catch (error) {
      // One that the store keeps does not keep the others.
      log.warn('An archive that is left over could not be removed', { backup: archive.name, error })
    }
  return removed
}
