import type { JobContext, JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { EngineStep } from '#server/engines/engine.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { PushChoice } from '#server/engines/site-staging.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import {
  authorizeSite,
  engineSteps,
  onServerNow,
  showQueued,
  siteAndEngine,
  undoOrMarkFailed,
  writeSite,
  type PairArgs,
  type SiteJobArgs,
} from '../job-parts.ts'
import { checkChangedPage } from '../page-check.ts'
import { takenBack } from '../taken-back.ts'
import { pageCheckStep } from '../page-check-step.ts'
import { deletePlan } from './plan-table.ts'

type PushArgs = PairArgs & { readonly choice: PushChoice }

const isBack = msg`The site has its previous files and content again.`

interface Change<A extends SiteJobArgs> {
  steps(engine: EngineWith<'staging'>, site: SiteRef, context: JobContext<A>): Promise<EngineStep[]>
  /** What the document says afterwards. */
  after(context: JobContext<A>, tx: Tx): Promise<Partial<Site>>
  readonly finished: LocalizedMessage
}

/** A job whose engine steps keep visitors out until it is finished or taken back. */
function pushingJob<A extends SiteJobArgs>(
  deps: SitesDeps,
  { steps, after, finished }: Change<A>,
): Pick<JobDefinition<A>, 'cancel' | 'nextAction' | 'queued' | 'steps' | 'done' | 'failed' | 'canceled'> {
  async function finish(context: JobContext<A>, tx: Tx): Promise<void> {
    await writeSite(tx, context.referenceName, { ...(await after(context, tx)), status: 'Live', failure: null })
  }

  async function undo(context: JobContext<A>): Promise<'undone' | 'finished'> {
    const { site, engine } = await siteAndEngine(deps, context, 'staging')
    const found = await engine.staging.undo(site, context.job)
    await context.transaction(async (tx) => {
      if (found === 'finished') return finish(context, tx)
      await writeSite(tx, context.referenceName, { status: context.args.was, failure: null })
    })
    return found
  }

  return {
    cancel: { possible: true },
    nextAction: () => isBack,

    // One that was taken back is planned again: only one that could not be goes on.
    queued: (input, tx) => showQueued(tx, input, 'Updating'),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'staging')
      const all: JobStepDefinition[] = [
        ...engineSteps(await steps(engine, site, context)),
        pageCheckStep(deps, engine, site, (signal) => checkChangedPage(engine, site, signal)),
        { key: 'open', label: 'Let visitors in again', weight: 1, run: () => engine.staging.finish(site) },
      ]
      return all.map((step) => takenBack(step, isBack))
    },

    done: finish,

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => undo(context)),

    canceled: async (context) =>
      (await undo(context)) === 'finished' ? finished : msg`the site keeps its files and content`,
  }
}

/** `site.push`: brings the changes of a staging site to its source. Its reference is the source. */
export function pushJob(deps: SitesDeps): JobDefinition<PushArgs> {
  return {
    type: 'site.push',
    label: ({ referenceTitle, args }) => `Push ${args.other.domain} to ${referenceTitle}`,
    deadlineSeconds: 7_200,
    authorize: authorizeSite('write'),
    ...pushingJob<PushArgs>(deps, {
      async steps(engine, site, context) {
        const { session, args } = context
        await context.transaction(async (tx) => {
          if (await tx.get(SiteDoctype, args.other.id))
            await authorizeSite('write')({ session, referenceName: args.other.id }, tx)
        })
        return engine.staging.pushSteps(site, await onServerNow(context, context.args.other), args.choice)
      },
      async after(context, tx) {
        const { other } = context.args
        await deletePlan(tx, other.id)
        return { pushed_at: formatTimestamp((deps.clock ?? systemClock).now()), pushed_from: other.domain }
      },
      finished: msg`the site has the changes already`,
    }),
  }
}

/** `site.roll_back_push`: brings back the state before the last push. */
export function rollBackPushJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.roll_back_push',
    label: ({ referenceTitle }) => `Roll back the push to ${referenceTitle}`,
    deadlineSeconds: 1_200,
    authorize: authorizeSite('write'),
    ...pushingJob<SiteJobArgs>(deps, {
      steps: async (engine, site) => engine.staging.rollBackSteps(site),
      after: async () => ({ pushed_at: null, pushed_from: null }),
      finished: msg`the site has its state before the push already`,
    }),
  }
}
