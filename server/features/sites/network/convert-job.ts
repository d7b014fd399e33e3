import type { JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import {
  authorizeSite,
  engineSteps,
  runEngineSteps,
  showQueued,
  siteAndEngine,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
  type SiteJobContext,
} from '../job-parts.ts'
import { checkChangedPage } from '../page-check.ts'
import { pageCheckStep } from '../page-check-step.ts'
import { inspectAndStore } from '../wordpress/inspect.ts'

/** `site.convert_to_network`: makes a network of a site, loads its page, and puts everything back if that fails. */
export function convertJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  async function undo(context: SiteJobContext): Promise<'undone' | 'finished'> {
    const { site, engine } = await siteAndEngine(deps, context, 'multisite')
    const outcome = await engine.networks.undoConversion(site)
    await context.transaction((tx) =>
      writeSite(tx, site.id, {
        status: context.args.was,
        failure: null,
        ...(outcome === 'finished' ? { multisite: 'subdir' } : {}),
      }),
    )
    return outcome
  }
  return {
    type: 'site.convert_to_network',
    label: ({ referenceTitle }) => `Turn on multisite on ${referenceTitle}`,
    deadlineSeconds: 1_800,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`The site is as it was before. Look at its error log.`,
    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Failed', input.args.was]),
    steps: (context) => stepsOf(deps, context),

    async done(context, tx) {
      await writeSite(tx, context.referenceName, { status: context.args.was, failure: null, multisite: 'subdir' })
    },

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => undo(context)),

    async canceled(context) {
      return (await undo(context)) === 'finished'
        ? msg`the site is a network already`
        : msg`the site is as it was before`
    },
  }
}

async function stepsOf(deps: SitesDeps, context: SiteJobContext): Promise<JobStepDefinition[]> {
  const { site, engine } = await siteAndEngine(deps, context, 'multisite')
  const steps = engine.networks.convertSteps(site)
  return [
    ...engineSteps(steps),
    pageCheckStep(deps, engine, site, async (signal) => {
      // A retry starts here if the change could not be taken back for sure: it may be gone all the same.
      await runEngineSteps(steps.slice(-1), { ...context, signal })
      return checkChangedPage(engine, site, signal)
    }),
    {
      key: 'open',
      label: 'Let visitors in again',
      async run({ signal }) {
        await engine.networks.finishConversion(site)
        await inspectAndStore(deps, engine, site, signal)
      },
    },
  ]
}
