import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { shownPath } from '../shown-path.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import {
  authorizeSite,
  showQueued,
  siteAndEngine,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { watchedSteps } from '../watched-change.ts'

type UnzipArgs = SiteJobArgs & { path: string; folder: string; replace: 0 | 1 }

const filesAreBack = msg`Nothing was extracted: the files are as they were before.`

/**
 * `site.unzip_file`: unpacks an archive of the site and loads the homepage. A failed or canceled one changes nothing, and neither does
 * one with which the homepage fails.
 */
export function unzipFileJob(deps: SitesDeps): JobDefinition<UnzipArgs> {
  async function undo(context: JobContext<UnzipArgs>): Promise<'undone' | 'finished' | 'unknown'> {
    const { site, engine } = await siteAndEngine(deps, context, 'files')
    const { left, kept } = await engine.files.undoUnpack(site, context.job)
    if (left.length > 0)
      context.log(`These files appeared in unpacked folders meanwhile and stay: ${left.map(shownPath).join(', ')}`)
    const job = await context.transaction(async (tx) => {
      await writeSite(tx, context.referenceName, { status: context.args.was })
      return tx.get(JobDoctype, context.job)
    })
    // Once the files before are forgotten, nothing can be taken back any more.
    const keep = job?.steps?.find(({ key }) => key === 'keep')?.status
    if (kept || keep === undefined || keep === 'Waiting') return 'undone'
    return keep === 'Done' ? 'finished' : 'unknown'
  }
  return {
    type: 'site.unzip_file',
    label: ({ referenceTitle, args }) => `Extract ${args.path.slice(0, 100)} of ${referenceTitle}`,
    detail: ({ path }) => untranslated(shownPath(path)),
    deadlineSeconds: 900,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => filesAreBack,

    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Failed', input.args.was], { keepsReason: true }),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'files')
      const { path, folder, replace } = context.args
      const { files } = engine
      return [
        ...watchedSteps(deps, engine, site, {
          key: 'unpack',
          label: 'Check and extract the archive',
          deadlineSeconds: 600,
          isBack: filesAreBack,
          async apply({ signal, log, progress, job }) {
            const options = { into: folder, replace: replace === 1, operationId: job, signal, onProgress: progress }
            const { files: count } = await translateEngineErrors(files.unpack(site, path, options))
            log(`Unpacked ${count} files`)
          },
          undo: ({ job }) => files.undoUnpack(site, job),
        }),
        {
          key: 'keep',
          label: 'Forget the files before',
          run: ({ job }) => files.finishUnpack(site, job),
        },
      ]
    },

    async done({ referenceName, args }, tx) {
      await writeSite(tx, referenceName, { status: args.was })
    },

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => undo(context)),

    async canceled(context) {
      const outcomes = {
        undone: msg`nothing was extracted`,
        finished: msg`the archive is extracted already`,
        unknown: msg`look at the files: the archive may be extracted already`,
      }
      return outcomes[await undo(context)]
    },
  }
}
