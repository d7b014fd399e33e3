import { stamp, systemClock } from '#server/jobs/clock.ts'
import type { JobContext, JobDefinition } from '#server/jobs/types.ts'
import { AppError } from '#shared/errors.ts'
import type { SitesDeps } from './deps.ts'
import { argsOf, authorizeSite, engineOf, engineSteps, markFailed, measuredFields, runEngineSteps, writeSite } from './job-parts.ts'
import { checkKnownPage } from './page-check.ts'

/** `site.archive`: stops the site and packs it into one file. Cancelled, it is as it was. */
export function archiveSiteJob(deps: SitesDeps): JobDefinition {
  return {
    type: 'site.archive',
    label: ({ referenceTitle }) => `Archive ${referenceTitle}`,
    deadlineSeconds: 3600,
    cancel: { possible: true },
    authorize: authorizeSite(deps, 'write'),

    async queued({ referenceName }, tx) {
      await writeSite(tx, referenceName, { status: 'Archiving', failure_reason: null })
    },

    steps: async (context) => engineSteps(engineOf(deps, context).archiveSteps(argsOf(context).site)),

    async done(context, tx) {
      const seen = await engineOf(deps, context).observe(argsOf(context).site)
      await writeSite(tx, context.referenceName, {
        status: 'Archived',
        archived_at: stamp((deps.clock ?? systemClock).now()),
        health: 'Not Checked',
        response_ms: null,
        disk_used: seen.diskUsed,
        failure_reason: null,
      })
    },

    failed: markFailed,

    async cancelled(context) {
      const { site, was } = argsOf(context)
      await unpack(deps, context)
      await context.transaction((tx) => writeSite(tx, site.id, { status: was }))
      return 'the site stays as it was'
    },
  }
}

/** Brings the files back when an interrupted packing already took them away. */
async function unpack(deps: SitesDeps, context: JobContext): Promise<void> {
  const { site } = argsOf(context)
  const engine = engineOf(deps, context)
  const { state } = await engine.observe(site)
  if (state === 'archived' || state === 'partial') await runEngineSteps(engine.restoreArchiveSteps(site), context)
}

/** `site.restore_archive`: unpacks an archived site and looks at its page. Cancelled, it is archived again. */
export function restoreArchiveJob(deps: SitesDeps): JobDefinition {
  return {
    type: 'site.restore_archive',
    label: ({ referenceTitle }) => `Restore ${referenceTitle} from the archive`,
    deadlineSeconds: 3600,
    cancel: { possible: true },
    authorize: authorizeSite(deps, 'write'),

    async queued({ referenceName }, tx) {
      // With hooks: a revived site counts towards the plan's limit like a new one.
      await tx.update('Site', referenceName, { status: 'Restoring', failure_reason: null }, { activity: false })
    },

    async steps(context) {
      const { site } = argsOf(context)
      const engine = engineOf(deps, context)
      return [...engineSteps(engine.restoreArchiveSteps(site)), {
        key: 'check_page',
        label: 'Check the page',
        async run(step) {
          const facts = await measuredFields(deps, engine, site, await checkKnownPage(engine, site, step.signal))
          await step.transaction((tx) => writeSite(tx, site.id, facts))
        },
      }]
    },

    async done(context, tx) {
      await writeSite(tx, context.referenceName, { status: 'Live', archived_at: null, failure_reason: null })
    },

    failed: markFailed,

    async cancelled(context) {
      const { site } = argsOf(context)
      const engine = engineOf(deps, context)
      const { state } = await engine.observe(site)
      if (state !== 'archived') await runEngineSteps(engine.archiveSteps(site), context)
      await context.transaction((tx) => writeSite(tx, site.id, { status: 'Archived' }))
      return 'the site stays in the archive'
    },
  }
}

/** `site.delete`: removes every trace of a site, then its document. */
export function deleteSiteJob(deps: SitesDeps): JobDefinition {
  return {
    type: 'site.delete',
    label: ({ referenceTitle }) => `Delete ${referenceTitle} for good`,
    deadlineSeconds: 900,
    cancel: { possible: false, reason: 'Files are already being removed.' },
    authorize: authorizeSite(deps, 'delete'),

    async steps(context) {
      const { site } = argsOf(context)
      const engine = engineOf(deps, context)
      return [{
        key: 'remove',
        label: 'Remove files and database',
        weight: 4,
        deadlineSeconds: 600,
        run: () => engine.destroy(site),
      }, {
        key: 'verify',
        label: 'Check that nothing is left',
        async run() {
          const { state } = await engine.observe(site)
          if (state !== 'absent') throw new AppError('unavailable', 'Parts of the site are still there.', { retryable: true, nextAction: 'Retry.' })
        },
      }]
    },

    async done(context, tx) {
      if (await tx.get('Site', context.referenceName, { lock: true })) await tx.delete('Site', context.referenceName, { activity: false })
    },

    failed: markFailed,
  }
}
