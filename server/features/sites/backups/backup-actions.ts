import { controller, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, parseTimestamp, systemClock } from '#server/jobs/clock.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall } from '../site-call.ts'
import { backupIdentity, recoveryKeyFile } from './archive-cipher.ts'
import { beginBackup } from './backup-job.ts'
import { showAtSite } from './backup-parts.ts'
import { discard, takenNow } from './discard.ts'
import { downloadUrl } from './download-backup.ts'
import { dashAuthOf } from './ee-callbacks.ts'
import { enqueueOpen } from './open-job.ts'
import { enqueueProof } from './prove-job.ts'
import { enqueueRestore, enqueueUndo } from './restore-job.ts'
import { enqueueImportedRestore, nativeIdOf } from './imported-restore.ts'
import { restoreAsNewSite } from './restore-as-new-site.ts'
import { restoredWhat } from './restored-what.ts'
import { contentsOf } from './contents.ts'

/** Backing up sites, and what is done with backups. */
export function backupControllers(deps: SitesDeps): Controller[] {
  return [
    controller(SiteDoctype, {
      actions: {
        backup: (site, { note, pinned, store }, { tx }) =>
          beginBackup(deps, tx, site, { note: note ?? null, pinned: pinned === 1 ? 1 : 0, store: store ?? null }),
        easyengine_backup: (site, _args, { tx }) => dashAuthOf(deps, tx, site),
      },
    }),
    controller(OrganizationDoctype, {
      actions: {
        async download_recovery_key(organization, _args, { tx }) {
          const identity = await backupIdentity(tx, organization.name)
          const at = formatTimestamp((deps.clock ?? systemClock).now())
          await tx.update(
            OrganizationDoctype,
            organization.name,
            { recovery_key_downloaded: at },
            { hooks: false, activity: false },
          )
          return {
            file_name: `easydash-recovery-key-${organization.name}.txt`,
            content: await recoveryKeyFile(identity, organization, at.slice(0, 16)),
          }
        },
      },
    }),
    controller(SiteBackupDoctype, {
      after_delete: (backup, { tx }) => showAtSite(tx, backup.site),
      async delete_request(backup, { tx }) {
        await assertNotLocked(tx, backup)
        // Its job holds the site, not the backup.
        if (backup.status === 'Queued' || backup.status === 'Running')
          throw new AppError('conflict', msg`The backup is still being made.`, {
            nextAction: msg`Wait until it has ended, or cancel its job.`,
          })
        if (backup.status === 'Restoring')
          throw new AppError('conflict', msg`The site is being restored from this backup.`, {
            nextAction: msg`Wait until it has ended, or cancel its job.`,
          })
        if (backup.pinned === 1)
          throw new AppError('invalid', msg`The backup is pinned.`, { nextAction: msg`Unpin it first.` })
        if ((await takenNow(tx, backup.organization)).has(backup.name))
          throw new AppError('conflict', msg`A new site is being made of this backup.`, {
            nextAction: msg`Wait until it has ended, or cancel its job.`,
          })
        await discard(deps, tx, backup)
        return {}
      },
      actions: {
        async restore(backup, { what, parts, target, domain, server, backup_first: first }, { tx, session }) {
          if (backup.kind === 'imported')
            return enqueueImportedRestore(deps, tx, backup, {
              isWhole: (what ?? 'all') === 'all' && parts === null,
              isNew: target === 'new_site',
            })
          const wanted = restoredWhat(what ?? 'all', parts ?? null, backup)
          if (target !== 'new_site') return enqueueRestore(deps, tx, backup, wanted, first !== 0)
          if (wanted !== 'all') throw new AppError('invalid', msg`A new site gets everything.`, { field: 'what' })
          return restoreAsNewSite(deps, tx, session, backup, { domain: domain ?? '', server: server || null })
        },
        contents: (backup, { folder }, { tx }) => contentsOf(deps, tx, backup, folder ?? ''),
        compare: (backup, _args, { tx }) => compareWithSite(deps, tx, backup),
        undo_restore: (backup, _args, { tx }) => enqueueUndo(deps, tx, backup),
        prove: (backup, _args, { tx }) => enqueueProof(deps, tx, backup.name),
        open: (backup, _args, { tx }) => enqueueOpen(deps, tx, backup),
        download_link: async (backup) => ({ url: await downloadUrl(deps, backup) }),
        pin: async (backup, _args, { tx }) => {
          await tx.update(SiteBackupDoctype, backup.name, { pinned: 1 }, { activity: false })
          return null
        },
        unpin: async (backup, _args, { tx }) => {
          await tx.update(SiteBackupDoctype, backup.name, { pinned: 0 }, { activity: false })
          return null
        },
      },
    }),
  ]
}

/** What the action `compare` of a backup returns: its site is looked at after the transaction. */
async function compareWithSite(deps: SitesDeps, tx: Tx, backup: SiteBackup): Promise<ExternalCall> {
  const site = await tx.get(SiteDoctype, backup.site)
  if (site === null)
    throw new AppError('conflict', msg`The site of this backup is deleted.`, {
      nextAction: msg`Restore it as a new site.`,
    })
  // What came while it was made may be in it or not: it counts as not in it.
  const since = nativeIdOf(backup)?.began ?? parseTimestamp(backup.taken_at ?? backup.creation)
  return siteCall(deps, tx, site, {
    needs: 'restore',
    async run(engine, ref, signal) {
      const { content, files } = await engine.restores.changesSince(ref, since, signal)
      return {
        now: { ...content?.counts, files: files.count },
        changed: { ...content?.changed, files: files.changed },
        is_whole: files.complete,
      }
    },
  })
}
