import type { JobContext, JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { showQueued, undoOrMarkFailed, writeSite, type SiteJobArgs } from './job-parts.ts'
import { checkChangedPage } from './page-check.ts'
import { pageCheckStep } from './page-check-step.ts'
import { takenBack } from './taken-back.ts'
import { expectGoneUsers } from './wordpress-users/user-table.ts'

const isBack = msg`The site has its previous files and content again.`

/** Another state of a site, and how it is kept or taken back. */
export interface Swap<A extends SiteJobArgs> {
  /** Site and engine, and what ends the swap. */
  of(context: JobContext<A>): Promise<{
    readonly site: SiteRef
    readonly engine: Engine
    finish(): Promise<void>
    undo(): Promise<'undone' | 'finished'>
  }>
  /** What is put together and put in place, until the page can be checked. */
  steps(context: JobContext<A>): Promise<JobStepDefinition[]>
  /** What is done once visitors are let in and nothing is taken back any more. */
  later?(context: JobContext<A>): Promise<JobStepDefinition[]>
  /** What the document says afterwards. */
  after(context: JobContext<A>, tx: Tx): Promise<Partial<Site>>
  /** Removes what was put together, however the job ended. */
  cleanUp?(context: JobContext<A>): Promise<void>
  /** What is put in place is wanted as it is, even if its page does not load: then the site is down. */
  readonly wantedAsItIs?: boolean
  /** Status of the site meanwhile. */
  readonly shows: 'Updating' | 'Restoring'
  readonly finished: LocalizedMessage
}

/** A job whose engine steps keep visitors out until it is finished or taken back. */
export function swappingJob<A extends SiteJobArgs>(
  deps: SitesDeps,
  { of, steps, later, after, cleanUp, wantedAsItIs = false, shows, finished }: Swap<A>,
): Pick<JobDefinition<A>, 'cancel' | 'nextAction' | 'queued' | 'steps' | 'done' | 'failed' | 'canceled'> {
  async function finish(context: JobContext<A>, tx: Tx): Promise<void> {
    await writeSite(tx, context.referenceName, {
      ...(await after(context, tx)),
      // Which files of a repository came with the other state is not known: the next deployment puts all of them.
      deployed_commit: null,
      status: 'Live',
      // The reason why it is down stays.
      ...(context.kept['is_down'] === undefined && { failure: null }),
    })
    await expectGoneUsers(tx, context.referenceName, formatTimestamp((deps.clock ?? systemClock).now()))
  }

  async function undo(context: JobContext<A>): Promise<'undone' | 'finished'> {
    const swap = await of(context)
    let found: 'undone' | 'finished'
    try {
      found = await swap.undo()
    } catch (error) {
      if (cleanUp === undefined) throw error
      // What is removed can be the room that it takes.
      await cleanUp(context)
      found = await swap.undo()
    }
    await cleanUp?.(context)
    await context.transaction(async (tx) => {
      if (found === 'finished') return finish(context, tx)
      await writeSite(tx, context.referenceName, { status: context.args.was, failure: null })
    })
    return found
  }

  return {
    cancel: { possible: true },
    nextAction: () => isBack,

    // One that was taken back is begun again: only one that could not be goes on.
    queued: (input, tx) => showQueued(tx, input, shows),

    async steps(context) {
      const { site, engine, finish: letIn } = await of(context)
      const check = pageCheckStep(deps, engine, site, (signal) => checkChangedPage(engine, site, signal))
      const orDown: JobStepDefinition = {
        ...check,
        async skipped(step, failure) {
          await step.transaction((tx) => writeSite(tx, site.id, { health: 'Down', failure: failure.message }))
          step.keep({ is_down: 1 })
        },
      }
      const all: JobStepDefinition[] = [
        ...(await steps(context)),
        wantedAsItIs ? orDown : check,
        // Servers also remove what is not kept, which can be large.
        { key: 'open', label: 'Let visitors in again', weight: 1, deadlineSeconds: 3_600, run: letIn },
      ]
      return [...all.map((step) => takenBack(step, isBack)), ...((await later?.(context)) ?? [])]
    },

    done: finish,

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => undo(context)),

    canceled: async (context) =>
      (await undo(context)) === 'finished' ? finished : msg`the site keeps its files and content`,
  }
}
