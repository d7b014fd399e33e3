import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { authorizeSite, showQueued, siteAndEngine, undoOrMarkFailed, writeSite, type SiteJobArgs } from './job-parts.ts'
import { checkChangedPage } from './page-check.ts'
import { pageCheckStep } from './page-check-step.ts'
import { takenBack } from './taken-back.ts'

type PhpArgs = SiteJobArgs & {
  from: NonNullable<Site['php_version']>
  to: NonNullable<Site['php_version']>
}

const isBack = msg`The site has its previous PHP version again.`

/** `site.set_php_version`: switches the version, checks the page, and switches back if the check fails. */
export function setPhpVersionJob(deps: SitesDeps): JobDefinition<PhpArgs> {
  /** Restores the previous version, whatever step the job reached. */
  async function restoreVersion(context: JobContext<PhpArgs>): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'php_version')
    const { from, was } = context.args
    await engine.setPhpVersion(site, from)
    await context.transaction((tx) => writeSite(tx, site.id, { php_version: from, status: was }))
  }

  return {
    type: 'site.set_php_version',
    label: ({ referenceTitle, args }) => `Switch ${referenceTitle} to PHP ${args.to}`,
    deadlineSeconds: 300,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => isBack,

    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Failed', input.args.was]),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'php_version')
      const { to } = context.args
      const after = { ...site, phpVersion: to }
      return [
        {
          key: 'switch',
          label: `Switch to PHP ${to}`,
          run: () => engine.setPhpVersion(site, to),
        },
        pageCheckStep(deps, engine, after, async (signal) => {
          // A retry starts here if the previous version could not be restored for sure: the site may have it all the same.
          await engine.setPhpVersion(site, to)
          return checkChangedPage(engine, after, signal)
        }),
      ].map((step) => takenBack(step, isBack))
    },

    async done(context, tx) {
      const { to } = context.args
      await writeSite(tx, context.referenceName, {
        php_version: to,
        status: 'Live',
        failure: null,
      })
    },

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => restoreVersion(context)),

    async canceled(context) {
      await restoreVersion(context)
      return msg`the site stays on PHP ${context.args.from}`
    },
  }
}
