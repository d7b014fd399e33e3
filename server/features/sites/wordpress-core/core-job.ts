import type { JobContext, JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { CoreTarget } from '#server/engines/wordpress-core.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import {
  authorizeSite,
  engineSteps,
  runEngineSteps,
  showQueued,
  siteAndEngine,
  stateAfterChange,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { checkChangedCode, lookBeforeStep } from '../code-check.ts'
import { pageCheckStep } from '../page-check-step.ts'
import { markChecksumStale } from '../wordpress/facts-table.ts'
import { inspectAndStore } from '../wordpress/inspect.ts'

/** What the job is about. */
export type CoreArgs = {
  readonly to: CoreTarget
  /** The version, for people. */
  readonly title: string
  /** The site was already down: the change need not make it work. */
  readonly wasDown: boolean
}

type Context = JobContext<SiteJobArgs & CoreArgs>

/** `site.change_core`: exchanges WordPress itself, checks the site, and puts everything back if it no longer works. */
export function changeCoreJob(deps: SitesDeps): JobDefinition<SiteJobArgs & CoreArgs> {
  async function undo(context: Context): Promise<'undone' | 'finished'> {
    const { site, engine } = await siteAndEngine(deps, context, 'core_version')
    const outcome = await engine.core.undoChange(site, context.job)
    await context.transaction((tx) => writeSite(tx, site.id, { status: context.args.was, failure: null }))
    await inspectAndStore(deps, engine, site).catch((error: unknown) =>
      deps.log.warn('WordPress could not be read after a change of its version ended', { site: site.id, error }),
    )
    if (outcome === 'finished') await context.transaction((tx) => exchanged(tx, site.id))
    return outcome
  }
  return {
    type: 'site.change_core',
    label: ({ referenceTitle, args: { to, title } }) =>
      'previous' in to
        ? `Roll ${referenceTitle} back to WordPress ${title}`
        : `WordPress ${title} on ${referenceTitle}`,
    detail: ({ title }) => untranslated(title),
    deadlineSeconds: 1_800,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`The site has its previous files and database. Look at its error log.`,
    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Failed', input.args.was]),
    steps: (context) => stepsOf(deps, context),

    async done(context, tx) {
      await writeSite(tx, context.referenceName, stateAfterChange(context.args))
      await exchanged(tx, context.referenceName)
    },

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => undo(context)),

    async canceled(context) {
      return (await undo(context)) === 'finished'
        ? msg`the site has its new version already`
        : msg`the site is as it was before`
    },
  }
}

/** The files of WordPress are others: what was verified says nothing about them. */
async function exchanged(tx: Tx, site: string): Promise<void> {
  await writeSite(tx, site, { wordpress_checksum: 'Not Checked' })
  await markChecksumStale(tx, site)
}

async function stepsOf(deps: SitesDeps, context: Context): Promise<JobStepDefinition[]> {
  const { to, wasDown } = context.args
  const { site, engine } = await siteAndEngine(deps, context, 'core_version')
  const change = engine.core.changeSteps(site, to)
  return [
    ...(wasDown ? [] : [lookBeforeStep(engine, site)]),
    ...engineSteps(change),
    {
      key: 'inspect',
      label: 'Read WordPress again',
      async run({ signal }) {
        // A retry starts here if the change could not be taken back for sure: it may be gone all the same.
        await translateEngineErrors(runEngineSteps(change.slice(-1), { ...context, signal }))
        const { facts } = await translateEngineErrors(inspectAndStore(deps, engine, site, signal))
        if (facts.broken !== null && !wasDown) throw new AppError('unavailable', untranslated(facts.broken))
      },
    },
    ...(wasDown ? [] : [checkStep()]),
    {
      key: 'open',
      label: 'Let visitors in again',
      async run({ signal }) {
        await engine.core.finishChange(site)
        await inspectAndStore(deps, engine, site, signal)
      },
    },
  ]

  function checkStep(): JobStepDefinition {
    return pageCheckStep(deps, engine, site, async (signal, step) => {
      await runEngineSteps(change.slice(-1), { ...context, signal })
      return checkChangedCode(engine, site, step, 'core')
    })
  }
}
