import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { hasFacets } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { BackupWhat } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { requireCapability, siteRef, translateEngineErrors } from '../engine-of.ts'
import { backupBefore, enqueueFor } from '../enqueue-site.ts'
import { authorizeSite, engineSteps, siteAndEngine, type BackedUpArgs, type SiteJobArgs } from '../job-parts.ts'
import { swappingJob } from '../swapping-job.ts'
import {
  fetchStep,
  nothingKept,
  removeWork,
  siteOfBackup,
  transferSeconds,
  workPath,
  writeBackup,
} from './backup-parts.ts'
import { withBackupBefore } from './backup-first.ts'
import { rehearsalOf } from './rehearsal-place.ts'

type RestoreArgs = BackedUpArgs & {
  readonly backup: string
  readonly what: BackupWhat
  readonly rehearsal: SiteRef
}

type UndoArgs = SiteJobArgs & { readonly backup: string }

/** Begins to put a backup in place of the site it is of. `backupFirst`: after a backup of the site as it is, if one can be made. */
export async function enqueueRestore(
  deps: SitesDeps,
  tx: Tx,
  backup: SiteBackup,
  what: BackupWhat,
  backupFirst: boolean,
): Promise<{ job: string; site: string }> {
  const site = await siteOfBackup(tx, backup)
  if (site.status !== 'Live' && site.status !== 'Failed')
    throw new AppError('conflict', msg`Only a site that is live or failed can be restored in place.`, {
      nextAction: msg`Restore the backup as a new site.`,
    })
  // Its proof works with the same archive in clear, and makes a site of the same name.
  await assertNotLocked(tx, backup)
  const { server } = await requireCapability(deps, tx, site, 'restore')
  const rehearsal = rehearsalOf(siteRef(site, server), backup.name, 'rehearsal')
  const before = backupFirst ? await backupBefore(deps, tx, site, { always: true }) : null
  const args = { backup: backup.name, what, rehearsal, ...before }
  const { job } = await enqueueFor(deps, tx, site, 'site.restore_backup', args)
  // From now on nobody else works with its archive.
  await writeBackup(tx, backup.name, { status: 'Restoring' })
  return { job, site: site.name }
}

/** Begins to bring back the state before the last restore, which must be that of this backup. */
export async function enqueueUndo(deps: SitesDeps, tx: Tx, backup: SiteBackup): Promise<{ job: string }> {
  const site = await siteOfBackup(tx, backup)
  if (site.restored_from !== backup.name)
    throw new AppError('conflict', msg`The last restore of the site was not that of this backup.`, {
      nextAction: msg`Restore another backup.`,
    })
  return enqueueFor(deps, tx, site, 'site.undo_restore', { backup: backup.name })
}

async function restoresOf<A extends SiteJobArgs>(deps: SitesDeps, context: JobContext<A>) {
  const { site, engine } = await siteAndEngine(deps, context, 'restore')
  const { restores } = engine
  return {
    site,
    engine,
    finish: () => restores.finishRestore(site),
    undo: () => restores.undoRestore(site, context.job),
  }
}

/** `site.restore_backup`: makes the site of the backup beside the served one, then swaps them. The state before is kept. */
export const restoreBackupJob = (deps: SitesDeps): JobDefinition<RestoreArgs> =>
  // One whose damage keeps it from being packed is the one that needs this most.
  withBackupBefore(deps, putInPlaceJob(deps), { isOptional: true })

function putInPlaceJob(deps: SitesDeps): JobDefinition<RestoreArgs> {
  const cleanUp = async (context: JobContext<RestoreArgs>): Promise<void> => {
    const { engine } = await restoresOf(deps, context)
    if (hasFacets(engine, 'rehearsals')) await engine.destroy(context.args.rehearsal)
    await removeWork(deps, context.args.backup)
    await context.transaction((tx) => writeBackup(tx, context.args.backup, { status: 'Ready' }))
  }
  return {
    type: 'site.restore_backup',
    label: ({ referenceTitle }) => `Restore ${referenceTitle} from a backup`,
    deadlineSeconds: transferSeconds + 14_400,
    authorize: authorizeSite('write'),
    ...swappingJob<RestoreArgs>(deps, {
      of: (context) => restoresOf(deps, context),
      async steps(context) {
        const { site, engine } = await restoresOf(deps, context)
        const { backup, what, rehearsal } = context.args
        const archive = workPath(deps, backup)
        return [
          fetchStep(deps, backup),
          // Other engines get the archive, whose checksum is that of the stored one.
          ...(hasFacets(engine, 'rehearsals')
            ? engineSteps(engine.rehearsals.rehearseSteps(rehearsal, archive, site)).map((step) => ({
                ...step,
                key: `rehearse_${step.key}`,
              }))
            : []),
          ...engineSteps(engine.restores.restoreSteps(site, { rehearsal, archive }, what)),
          { key: 'clean_up', label: 'Remove the copy of the backup', weight: 1, run: () => cleanUp(context) },
          {
            key: 'measure',
            label: 'Measure the state before',
            weight: 1,
            run: async (step) =>
              step.keep({ kept: await translateEngineErrors(engine.restores.keptBytes(site, step.signal)) }),
          },
        ]
      },
      after: async ({ args, kept }) => ({
        restored_from: args.backup,
        restored_kept_size: typeof kept['kept'] === 'number' ? kept['kept'] : null,
        restored_at: formatTimestamp((deps.clock ?? systemClock).now()),
        // Engines keep one state before, which a restore and a push replace.
        pushed_at: null,
        pushed_from: null,
      }),
      cleanUp,
      shows: 'Restoring',
      finished: msg`the site has the state of the backup already`,
    }),
  }
}

/** `site.undo_restore`: brings back the state before the last restore. */
export function undoRestoreJob(deps: SitesDeps): JobDefinition<UndoArgs> {
  return {
    type: 'site.undo_restore',
    label: ({ referenceTitle }) => `Undo the restore of ${referenceTitle}`,
    deadlineSeconds: 3_600,
    authorize: authorizeSite('write'),
    ...swappingJob<UndoArgs>(deps, {
      of: (context) => restoresOf(deps, context),
      async steps(context) {
        const { site, engine } = await restoresOf(deps, context)
        return engineSteps(engine.restores.bringBackSteps(site))
      },
      after: async () => nothingKept,
      // A damaged site is what some restores are for.
      wantedAsItIs: true,
      shows: 'Restoring',
      finished: msg`the site has its state before the restore already`,
    }),
  }
}
