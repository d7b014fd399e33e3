import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sweep } from '#server/contracts/schedule.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { filesOlderThan } from '#server/platform/files/list-folder.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import type { SitesDeps } from '../deps.ts'
import { localStore, workFolder } from './backup-parts.ts'
import { applyRetention } from './backup-schedules.ts'

const hourMs = 3_600_000

/** Removes the archive of a deleted backup. What fails now is found by the sweep. */
export async function removeArchive(deps: SitesDeps, backup: string): Promise<void> {
  await localStore(deps)
    .remove(backup)
    .catch((error: unknown) => deps.log.warn('The archive of a deleted backup could not be removed', { backup, error }))
}

/** Deletes backups that are no longer kept, and archives that no document describes: of deleted backups and organizations, and of jobs that were killed. */
export function backupSweep(deps: SitesDeps): Sweep {
  const { clock = systemClock } = deps
  return {
    name: deps.machine ? `backups.sweep ${deps.machine}` : 'backups.sweep',
    everySeconds: 3_600,
    async run() {
      const store = localStore(deps)
      // Of jobs that were killed and never went on: none takes that long.
      for (const name of await filesOlderThan(workFolder(deps), clock.now() - 24 * hourMs))
        await rm(join(workFolder(deps), name), { force: true })
      let removed = await applyRetention(deps)
      for (const backup of await store.olderThan(clock.now() - hourMs)) {
        const known = await deps
          .documents()
          .transaction(systemSession('schedule'), (tx) => tx.get(SiteBackupDoctype, backup))
        if (known) continue
        await store.remove(backup)
        removed += 1
      }
      return removed
    },
  }
}
