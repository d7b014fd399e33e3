import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import type { JobDefinition } from '#server/contracts/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { firstBackup } from './backups/backup-first.ts'
import { backupSeconds } from './backups/backup-job.ts'
import { withFacetsOf } from './engine-of.ts'
import {
  authorizeSite,
  deleteSite,
  engineOf,
  engineSteps,
  markFailed,
  refOf,
  runEngineSteps,
  showQueued,
  siteAndEngine,
  writeSite,
  type SiteJobArgs,
  type SiteJobContext,
} from './job-parts.ts'
import { restoredAliasesStep } from './domains/restored-aliases-step.ts'
import { checkExistingPage } from './page-check.ts'
import { pageCheckStep } from './page-check-step.ts'
import { storageFields } from './storage-fields.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

/** `backup`: the backup that is made before. */
type ArchiveArgs = SiteJobArgs & { readonly backup?: string }

/** `site.archive`: backs the site up if that was asked for, stops it and packs it into one file. Canceling restores it. */
export function archiveSiteJob(deps: SitesDeps): JobDefinition<ArchiveArgs> {
  const final = firstBackup<ArchiveArgs>(deps, async ({ args }) => args.backup ?? null)
  return {
    type: 'site.archive',
    label: ({ referenceTitle }) => `Archive ${referenceTitle}`,
    deadlineSeconds: backupSeconds + 3_600,
    cancel: { possible: true },
    // Same permission as the action: write access is not enough to archive a site.
    authorize: authorizeSite('delete'),

    queued: (input, tx) => showQueued(tx, input, 'Archiving', ['Failed', input.args.was]),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'archive')
      return [
        ...(context.args.backup === undefined ? [] : await final.steps(context)),
        ...engineSteps(engine.archiveSteps(site)),
        {
          key: 'measure',
          label: 'Update disk usage',
          async run(step) {
            const seen = await engine.observe(site)
            if (seen.state !== 'archived') {
              throw new AppError('unavailable', msg`The files were not packed.`, {
                retryable: true,
                nextAction: msg`Retry.`,
              })
            }
            await step.transaction((tx) => writeSite(tx, site.id, storageFields(seen)))
          },
        },
      ]
    },

    async done(context, tx) {
      await writeSite(tx, context.referenceName, {
        status: 'Archived',
        archived_at: formatTimestamp((deps.clock ?? systemClock).now()),
        health: 'Not Checked',
        response_ms: null,
        failure: null,
      })
    },

    async failed(context, failure) {
      const isFirst = await final.failed(context, failure)
      const site = await refOf(context)
      const { was } = context.args
      const engine = engineOf(deps, context)
      // Packing or verifying failed and nothing was removed: the site keeps its previous status, and the job has the error.
      const { state } = await engine.observe(site, { measure: false })
      if (state === 'archived' || state === 'absent' || was === 'Failed') {
        await markFailed(context, failure)
        return isFirst ? 'undone' : undefined
      }
      if (state === 'partial') await unpack(deps, context)
      await context.transaction(async (tx) => {
        if (await tx.get(SiteDoctype, site.id, { lock: true })) await writeSite(tx, site.id, { status: was })
      })
      return 'undone'
    },

    async canceled(context) {
      await final.canceled(context)
      const site = await refOf(context)
      const { was } = context.args
      await unpack(deps, context)
      await context.transaction((tx) => writeSite(tx, site.id, { status: was }))
      return msg`the site stays as it was`
    },
  }
}

/** Restores the files if an interrupted run already removed them. */
async function unpack(deps: SitesDeps, context: SiteJobContext): Promise<void> {
  const { site, engine } = await siteAndEngine(deps, context, 'archive')
  const { state } = await engine.observe(site, { measure: false })
  if (state !== 'archived' && state !== 'partial') return
  await runEngineSteps(engine.restoreArchiveSteps(site), context)
  const doc = await context.transaction((tx) => tx.get(SiteDoctype, site.id))
  if (doc && doc.suspended_at !== null) await withFacetsOf(engine, 'suspend').settings.suspend(site)
}

/** `site.restore_archive`: unpacks an archived site and checks its page. Canceling archives it again. */
export function restoreArchiveJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.restore_archive',
    label: ({ referenceTitle }) => `Restore ${referenceTitle} from the archive`,
    deadlineSeconds: 3600,
    cancel: { possible: true },
    authorize: authorizeSite('write'),

    async queued(input, tx) {
      // With hooks: a restored site counts toward the plan's limit like a new one.
      if (!input.retry) await tx.update(SiteDoctype, input.referenceName, { status: 'Restoring' }, { activity: false })
      else await showQueued(tx, input, 'Restoring')
    },

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'archive')
      return [
        ...engineSteps(engine.restoreArchiveSteps(site)),
        restoredAliasesStep(site.id),
        pageCheckStep(deps, engine, site, (signal) => checkExistingPage(engine, site, { signal })),
      ]
    },

    async done(context, tx) {
      await writeSite(tx, context.referenceName, {
        status: 'Live',
        archived_at: null,
        suspended_at: null,
        failure: null,
      })
    },

    failed: markFailed,

    async canceled(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'archive')
      const { state } = await engine.observe(site, { measure: false })
      if (state !== 'archived') await runEngineSteps(engine.archiveSteps(site), context)
      await context.transaction((tx) => writeSite(tx, site.id, { status: 'Archived' }))
      return msg`the site stays in the archive`
    },
  }
}

/** `site.delete`: removes all files and data of a site, then its document. */
export function deleteSiteJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.delete',
    label: ({ referenceTitle }) => `Delete ${referenceTitle} permanently`,
    deadlineSeconds: 900,
    cancel: { possible: false, reason: 'A deletion cannot be canceled.' },
    authorize: authorizeSite('delete'),

    async queued(input, tx) {
      // The site keeps its status while it is being deleted.
      if (!input.retry) return
      const site = await tx.get(SiteDoctype, input.referenceName)
      await showQueued(tx, input, site?.status === 'Archived' ? 'Archived' : 'Failed', ['Failed', 'Archived'])
    },

    async steps(context) {
      const site = await refOf(context)
      const engine = engineOf(deps, context)
      return [
        {
          key: 'remove',
          label: 'Remove files and database',
          weight: 4,
          deadlineSeconds: 600,
          destructive: true,
          run: () => engine.destroy(site),
        },
        {
          key: 'verify',
          label: 'Check that nothing is left',
          async run() {
            const { state } = await engine.observe(site, { measure: false })
            if (state !== 'absent')
              throw new AppError('unavailable', msg`Parts of the site are still there.`, {
                retryable: true,
                nextAction: msg`Retry.`,
              })
          },
        },
      ]
    },

    async done(context, tx) {
      await deleteSite(tx, context.referenceName)
    },

    async failed(context, failure) {
      const site = await refOf(context)
      const { state } = await engineOf(deps, context).observe(site, { measure: false })
      // Nothing was removed: the archive can still be restored.
      if (context.args.was !== 'Archived' || state !== 'archived') return markFailed(context, failure)
      await context.transaction(async (tx) => {
        if (await tx.get(SiteDoctype, site.id, { lock: true }))
          await writeSite(tx, site.id, { status: 'Archived', failure: null })
      })
    },
  }
}
