import type { Engine } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { JobContext, JobStepDefinition } from '#server/contracts/job.ts'
import { errorMessage, notPutBack } from '#server/jobs/failure.ts'
import { createTurns } from '#server/platform/turns.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { checkChangedPage, checkExistingPage, type PageCheckResult } from './page-check.ts'
import { writeSite } from './job-parts.ts'
import { pageCheckStep } from './page-check-step.ts'
import { takenBack, withTakenBack } from './taken-back.ts'

/** Longest time for the homepage after a save, in milliseconds: somebody waits for it. */
const saveCheckMs = 40_000

/** A change that can break a site, and that its job takes back when it fails. */
export interface WatchedChange {
  readonly key: string
  readonly label: string
  readonly deadlineSeconds?: number
  /** Says that the state before is back; null if the job says so itself. */
  readonly isBack: LocalizedMessage | null
  /** Whether the site failed before; by default its homepage is loaded before the change. */
  readonly wasDown?: boolean
  /** Makes the change; repeating it changes nothing. */
  apply(step: JobContext): Promise<void>
  /** Takes back what an attempt before has begun; does nothing if there was none. Not needed if `apply` goes on with it. */
  undo?(step: JobContext): Promise<unknown>
  /** Loads the homepage after the change. Default: `checkChangedPage`. */
  check?(step: JobContext): Promise<PageCheckResult>
  /** A look at the site besides its homepage. */
  readonly look?: Pick<JobStepDefinition, 'key' | 'label' | 'run'>
}

/**
 * The steps of such a change: makes it, then loads the homepage from outside. A site whose homepage failed before keeps the change:
 * it may be what repairs it.
 */
export function watchedSteps(
  deps: SitesDeps,
  engine: Engine,
  site: SiteRef,
  { key, label, deadlineSeconds, isBack, wasDown, apply, undo, look, check: checkPage }: WatchedChange,
): JobStepDefinition[] {
  let failedBefore = false
  let applied = false
  const applyNow = async (step: JobContext): Promise<void> => {
    await apply(step)
    applied = true
  }
  // A retry starts with what failed if the change could not be taken back for sure: it may be gone all the same.
  const afterChange = (step: JobStepDefinition): JobStepDefinition => ({
    ...step,
    async run(context) {
      if (!applied) await applyNow(context)
      return step.run(context)
    },
  })
  const check = pageCheckStep(
    deps,
    engine,
    site,
    (signal, step) => checkPage?.(step) ?? checkChangedPage(engine, site, signal),
  )
  const checkAfter = afterChange({ ...check, deadlineSeconds: (check.deadlineSeconds ?? 0) + (deadlineSeconds ?? 0) })
  const steps: JobStepDefinition[] = [
    {
      key,
      label,
      ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
      async run(step) {
        // What was cut off halfway must not count as the site's own failure.
        await undo?.(step)
        failedBefore = wasDown === undefined && (await failsNow(engine, site, step.signal))
        step.signal.throwIfAborted()
        await applyNow(step)
      },
    },
    ...(look ? [afterChange(look)] : []),
    ...(wasDown === true ? [] : [{ ...checkAfter, run: unlessFailedBefore }]),
  ]
  return isBack === null ? steps : steps.map((step) => takenBack(step, isBack))

  async function unlessFailedBefore(step: JobContext): Promise<void> {
    try {
      await checkAfter.run(step)
    } catch (error) {
      if (step.signal.aborted || !failedBefore) throw error
      step.log('The homepage failed before the change, too: the change stays.')
      // Nothing may look as if the page had been loaded.
      await step.transaction((tx) => writeSite(tx, site.id, { health: 'Down', failure: errorMessage(error) }))
    }
  }
}

/** A save that can break a site. */
export interface WatchedSave<T> {
  readonly isBack: LocalizedMessage
  /** Further names under which the site must answer. */
  readonly names?: readonly string[]
  /** Makes the change. */
  apply(): Promise<T>
  /** Takes it back, also if it failed halfway. */
  undo(): Promise<unknown>
}

/** What is taken back must be what the same save made. */
const inSaveTurn = createTurns()

/**
 * Makes a change outside of a job, loads the homepage from outside, and takes the change back if that fails. A site whose homepage
 * failed before keeps it: it may be what repairs it. Saves of one site run one after the other.
 */
export function watchedSave<T>(engine: Engine, site: SiteRef, save: WatchedSave<T>): Promise<T> {
  return inSaveTurn(site.id, () => saveWatched(engine, site, save))
}

async function saveWatched<T>(
  engine: Engine,
  site: SiteRef,
  { isBack, names = [], apply, undo }: WatchedSave<T>,
): Promise<T> {
  try {
    // Also what is stored already is taken back if the site does not answer in time.
    const failedBefore = await failsNow(engine, site, AbortSignal.timeout(saveCheckMs))
    const result = await apply()
    const checked = failedBefore ? [] : [site, ...names.map((domain) => ({ ...site, domain }))]
    for (const one of checked) await checkChangedPage(engine, one, AbortSignal.timeout(saveCheckMs))
    return result
  } catch (error) {
    try {
      await undo()
    } catch (problem) {
      const { message } = notPutBack({ code: 'unavailable', message: errorMessage(error) }, problem)
      const nextAction = msg`Look at the settings and at the error log of the site.`
      throw new AppError('unavailable', message, { nextAction, cause: problem })
    }
    throw withTakenBack(error, isBack)
  }
}

/** Whether the site fails already. A failure can be a hiccup, so a second one has to confirm it, in the time that is left. */
async function failsNow(engine: Engine, site: SiteRef, signal: AbortSignal): Promise<boolean> {
  const fails = () =>
    checkExistingPage(engine, site, { signal }).then(
      () => false,
      () => true,
    )
  if (!(await fails())) return false
  signal.throwIfAborted()
  return fails()
}
