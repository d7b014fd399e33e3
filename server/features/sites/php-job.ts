import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { messageWithNextAction, authorizeSite, engineOf, refOf, writeSite, type SiteJobArgs } from './job-parts.ts'
import { checkExistingPage } from './page-check.ts'
import { pageCheckStep } from './page-check-step.ts'

type PhpArgs = SiteJobArgs & {
  from: NonNullable<Site['php_version']>
  to: NonNullable<Site['php_version']>
}

/** `site.set_php_version`: switches the version, checks the page, and switches back if the check fails. */
export function setPhpVersionJob(deps: SitesDeps): JobDefinition<PhpArgs> {
  /** Restores the previous version, whatever step the job reached. */
  async function restoreVersion(context: JobContext<PhpArgs>): Promise<void> {
    const site = await refOf(context)
    const { from, was } = context.args
    await engineOf(deps, context).setPhpVersion(site, from)
    await context.transaction((tx) => writeSite(tx, site.id, { php_version: from, status: was }))
  }

  return {
    type: 'site.set_php_version',
    label: ({ referenceTitle, args }) => `Switch ${referenceTitle} to PHP ${args.to}`,
    deadlineSeconds: 300,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`Check the site’s log for errors with the new version.`,

    async queued({ referenceName }, tx) {
      await writeSite(tx, referenceName, { status: 'Updating' })
    },

    async steps(context) {
      const site = await refOf(context)
      const { to } = context.args
      const engine = engineOf(deps, context)
      const after = { ...site, phpVersion: to }
      return [
        {
          key: 'switch',
          label: `Switch to PHP ${to}`,
          run: () => engine.setPhpVersion(site, to),
        },
        pageCheckStep(deps, engine, after, (signal) => checkExistingPage(engine, after, { signal })),
      ]
    },

    async done(context, tx) {
      const { to } = context.args
      await writeSite(tx, context.referenceName, {
        php_version: to,
        status: 'Live',
        failure: null,
      })
    },

    async failed(context, failure) {
      try {
        await restoreVersion(context)
      } catch (problem) {
        await context.transaction((tx) =>
          writeSite(tx, context.referenceName, { status: 'Failed', failure: messageWithNextAction(failure) }),
        )
        throw problem
      }
    },

    async canceled(context) {
      await restoreVersion(context)
      return msg`the site stays on PHP ${context.args.from}`
    },
  }
}
