import type { FailureEnd, JobContext, JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import {
  authorizeSite,
  showQueued,
  siteAndEngine,
  stateAfterChange,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { checkChangedCode, lookBeforeStep } from '../code-check.ts'
import { checksumAfter } from './checksum-after.ts'
import { takenBack } from '../taken-back.ts'
import { watchedSteps } from '../watched-change.ts'
import { inspectAndStore } from './inspect.ts'
import {
  applyChange,
  changeJobs,
  changesFiles,
  packageTypeOf,
  undoChange,
  type Inverse,
  type SiteChange,
} from './site-change.ts'

type ChangeArgs = SiteJobArgs & {
  readonly change: SiteChange
  readonly inverse: Inverse
  /** Name of the plugin or theme. */
  readonly title: string
  /** The site was already down: the change need not make it work, and is not undone if it doesn't. */
  readonly wasDown: boolean
}

/** The jobs of `changeJobs`: makes the change, checks the site, and undoes the change if the site no longer works. */
export function wordpressChangeJobs(deps: SitesDeps): JobDefinition[] {
  return Object.values(changeJobs).map(({ job, verb }) => changeJob(deps, job, verb) as JobDefinition)
}

const isBack = msg`The site is as it was before.`

function changeJob(deps: SitesDeps, type: string, verb: string): JobDefinition<ChangeArgs> {
  /** Returns what WordPress has then; null if it could not be read. */
  async function undo(context: JobContext<ChangeArgs>): Promise<WordPressFacts | null> {
    const { inverse, was } = context.args
    const { site, engine } = await siteAndEngine(deps, context, 'wordpress')
    await undoChange(engine, site, inverse, context.job)
    await context.transaction((tx) => writeSite(tx, site.id, { status: was, failure: null }))
    try {
      return (await inspectAndStore(deps, engine, site)).facts
    } catch (error) {
      deps.log.warn('WordPress could not be read after a change was undone', { site: site.id, error })
      return null
    }
  }
  return {
    type,
    label: ({ referenceTitle, args }) => `${verb} ${args.title} on ${referenceTitle}`,
    detail: ({ title }) => untranslated(title),
    deadlineSeconds: 360,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => isBack,
    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Failed', input.args.was]),
    steps: (context) => stepsOf(deps, verb, context),

    async done(context, tx) {
      await writeSite(tx, context.referenceName, {
        ...stateAfterChange(context.args),
        ...(changesFiles(context.args.change) ? await checksumAfter(tx, context.referenceName) : {}),
      })
    },

    failed: (context, failure) =>
      undoOrMarkFailed(context, failure, async () => endOf(context.args, await undo(context))),

    async canceled(context) {
      const end = endOf(context.args, await undo(context))
      if (end === 'unknown') return msg`whether it was deleted already could not be read`
      if (end === 'finished') return msg`it was deleted already`
      return msg`the site is as it was before`
    },
  }
}

/** What became of a change that was taken back: what was deleted is gone for good once the deletion is finished. */
function endOf({ change, inverse }: ChangeArgs, facts: WordPressFacts | null): FailureEnd {
  if (inverse !== 'deleted') return 'undone'
  if (facts === null) return 'unknown'
  return isThere(facts, change) ? 'undone' : 'finished'
}

function isThere({ plugins, themes }: WordPressFacts, change: SiteChange): boolean {
  const id = 'plugin' in change ? change.plugin : 'theme' in change ? change.theme : ''
  return [...plugins, ...themes].some((one) => one.id === id)
}

async function stepsOf(deps: SitesDeps, verb: string, context: JobContext<ChangeArgs>): Promise<JobStepDefinition[]> {
  const { change, inverse, title, wasDown } = context.args
  const { site, engine } = await siteAndEngine(deps, context, 'wordpress')
  const changing = watchedSteps(deps, engine, site, {
    key: 'change',
    label: `${verb} ${title}`,
    deadlineSeconds: 240,
    isBack,
    wasDown,
    check: (step) => checkChangedCode(engine, site, step, packageTypeOf(change)),
    apply: ({ signal, job }) =>
      translateEngineErrors(applyChange(engine, site, change, { operationId: job, safe: wasDown, signal })),
    look: {
      key: 'inspect',
      label: 'Read plugins and themes again',
      async run({ signal }) {
        const { facts } = await translateEngineErrors(inspectAndStore(deps, engine, site, signal))
        if (facts.broken !== null && !wasDown) throw new AppError('unavailable', untranslated(facts.broken))
      },
    },
  })
  const steps = wasDown ? changing : [lookBeforeStep(engine, site), ...changing]
  if (inverse !== 'deleted') return steps
  const open: JobStepDefinition = {
    key: 'open',
    label: 'Let visitors in again',
    run: ({ job }) => translateEngineErrors(engine.wordpress.finish(site, job)),
  }
  return [...steps, takenBack(open, isBack)]
}
