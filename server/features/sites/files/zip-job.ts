import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import { shownPath } from '../shown-path.ts'
import { siteAndEngine, authorizeSite, showQueued, writeSite, type SiteJobArgs } from '../job-parts.ts'

type ZipArgs = SiteJobArgs & { paths: string[]; to: string }

/** `site.zip_files`: makes an archive of files of the site, in the site. A failed or canceled one changes nothing. */
export function zipFilesJob(deps: SitesDeps): JobDefinition<ZipArgs> {
  /** The archive may be in place although the job did not get to its end. Returns whether a file that is not ours has its name. */
  async function undo(context: JobContext<ZipArgs>): Promise<boolean> {
    const { to } = context.args
    const { site, engine } = await siteAndEngine(deps, context, 'files')
    const { left } = await engine.files.undoPack(site, to, context.job)
    if (left) context.log(`${shownPath(to)} was changed by others meanwhile and stays`)
    return left
  }
  const release = (context: JobContext<ZipArgs>) =>
    context.transaction((tx) => writeSite(tx, context.referenceName, { status: context.args.was }))
  return {
    type: 'site.zip_files',
    label: ({ referenceTitle, args }) => `Compress ${args.to.slice(0, 100)} of ${referenceTitle}`,
    detail: ({ to }) => untranslated(shownPath(to)),
    deadlineSeconds: 900,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`No archive was made. Choose fewer files, or make room, then try again.`,

    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Failed', input.args.was], { keepsReason: true }),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'files')
      const { paths, to } = context.args
      return [
        {
          key: 'pack',
          label: 'Write the archive',
          deadlineSeconds: 600,
          async run({ signal, log, job, progress }) {
            const { bytes } = await translateEngineErrors(
              engine.files.packInto(site, paths, to, {
                operationId: job,
                signal,
                onProgress: progress,
              }),
            )
            log(`Wrote ${bytes} bytes`)
          },
        },
      ]
    },

    async done({ referenceName, args }, tx) {
      await writeSite(tx, referenceName, { status: args.was })
    },

    async failed(context) {
      try {
        return (await undo(context)) ? undefined : 'undone'
      } finally {
        // An archive that can't be removed does the site no harm.
        await release(context)
      }
    },

    async canceled(context) {
      const left = await undo(context)
      await release(context)
      return left
        ? msg`${shownPath(context.args.to)} was changed by others meanwhile and stays`
        : msg`no archive was made`
    },
  }
}
