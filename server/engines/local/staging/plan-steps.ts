import type { DatabasePlan, PushPlan } from '#shared/responses/push-plan.ts'
import { msg } from '#shared/localized-message.ts'
import { comparisonStep } from '../../compare-sides.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { baselineOf } from './baseline.ts'
import { withComparedDatabases, type Pair } from './merge-database.ts'
import { readyPair } from './staging-pair.ts'

/** Seconds of one part of the work in the process of a site that has visitors. */
const partSeconds = 4

/** See `SiteStaging.planSteps`. */
export function planSteps(
  context: LocalContext,
  live: SiteRef,
  staging: SiteRef,
  keep: (plan: PushPlan) => Promise<void>,
): EngineStep[] {
  const compare = async (step: StepContext): Promise<PushPlan> => {
    step.signal.throwIfAborted()
    const pair = readyPair(context, live, staging)
    const files = await compareFiles(context, pair, step)
    step.progress(0.3)
    return { files, database: pair.live.siteType === 'wp' ? await compareDatabases(context, pair, step) : null }
  }
  return [comparisonStep(1_800, compare, keep)]
}

async function compareDatabases(context: LocalContext, pair: Pair, step: StepContext): Promise<DatabasePlan> {
  let found: DatabasePlan | null = null
  const release = context.awake.hold(pair.live.id, false)
  try {
    await withComparedDatabases(context, pair, step, { seconds: partSeconds }, async (plan) => {
      found = plan
    })
  } finally {
    release()
  }
  if (found === null) throw new Error('The databases were not compared.')
  return found
}

/** The staging site sleeps meanwhile; the other one goes on. */
async function compareFiles(
  context: LocalContext,
  { live, staging }: Pair,
  step: StepContext,
): Promise<PushPlan['files']> {
  const { store, awake, trees, owners, storage } = context
  const [own, theirs] = [store.paths(live.id), store.paths(staging.id)]
  const release = await awake.keepAsleep(staging.id)
  try {
    return await trees.run(
      'compare',
      {
        manifest: baselineOf(theirs.baseline).manifest,
        stage: { root: theirs.www, owner: owners.userOf(staging) },
        live: { root: own.www, owner: owners.userOf(live) },
        limits: storage.limitsOf(live),
      },
      { signal: step.signal, onProgress: (files) => step.progress(0.3 * (files / (files + 4_000))) },
    )
  } catch (error) {
    step.signal.throwIfAborted()
    if (error instanceof EngineError) throw error
    throw new EngineError('unavailable', msg`The files of the two sites could not be compared.`, {
      retryable: true,
      nextAction: msg`Try again when nobody changes files.`,
      cause: error,
    })
  } finally {
    release()
  }
}
