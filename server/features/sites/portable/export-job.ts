import type { JobDefinition } from '#server/contracts/job.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import { exportUrl } from './download-export.ts'
import {
  authorizeSite,
  engineSteps,
  siteAndEngine,
  writeSite,
  type SiteJobArgs,
  type SiteJobContext,
} from '../job-parts.ts'

/** How long an export can be downloaded (ms). */
export const exportLifeMs = 86_400_000

/** `site.export_site`: packs a site, which stays as it is. */
export function exportSiteJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  /** There is no export: neither an unfinished one, nor the one before, which was replaced. */
  async function removeExport(context: SiteJobContext): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'export')
    await engine.exports.remove(site)
    await context.transaction((tx) =>
      writeSite(tx, context.referenceName, { export_bytes: null, export_expires: null }),
    )
  }

  return {
    type: 'site.export_site',
    label: ({ referenceTitle }) => `Export ${referenceTitle}`,
    deadlineSeconds: 4_200,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`The site was not changed. Try again.`,

    // The one before is replaced.
    queued: ({ referenceName }, tx) => writeSite(tx, referenceName, { export_bytes: null, export_expires: null }),

    async steps(context) {
      const { site: ref, engine } = await siteAndEngine(deps, context, 'export')
      const { exports } = engine
      return [
        ...engineSteps(exports.exportSteps(ref)),
        {
          key: 'offer',
          label: 'Offer the download',
          async run(step) {
            const file = await translateEngineErrors(exports.open(ref))
            await file.close()
            const expires = formatTimestamp((deps.clock ?? systemClock).now() + exportLifeMs)
            await step.transaction(async (tx) => {
              await writeSite(tx, ref.id, { export_bytes: file.size, export_expires: expires })
              const result = { url: exportUrl(ref.id) }
              await tx.update(JobDoctype, context.job, { result }, { hooks: false, activity: false })
            })
            step.log('The archive can be downloaded on the page of the site, for one day')
          },
        },
      ]
    },

    failed: removeExport,

    async canceled(context) {
      await removeExport(context)
      return msg`nothing was exported`
    },
  }
}
