import { msg } from '#shared/localized-message.ts'
import { commonItems } from '../compare-sides.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { PushLoss } from '../site-staging.ts'
import type { EeContext } from './ee-context.ts'
import { lossBetween } from './push-plan.ts'
import { contentNow, keepContent, keptContentOf, readAbout } from './staging-content.ts'
import { operationOf, pushNotKept, readSwap } from './swaps.ts'

/** A site and its staging site. */
export interface Pair {
  readonly context: EeContext
  readonly live: SiteRef
  readonly staging: SiteRef
}

/** Milliseconds to remember a push, which nobody waits for. */
const rememberMs = 3_000_000

/** Steps that keep what a push left with the state before it. */
export function rememberSteps(pair: Pair): EngineStep[] {
  return [
    {
      key: 'remember',
      label: 'Remember what was pushed',
      weight: 2,
      deadlineSeconds: 3_600,
      async run(step) {
        const signal = AbortSignal.any([step.signal, AbortSignal.timeout(rememberMs)])
        try {
          await remember(pair, { ...step, signal })
        } catch (error) {
          step.signal.throwIfAborted()
          pair.context.log.warn('What a push left could not be remembered', { site: pair.live.id, error })
          step.log('What was pushed could not be remembered, so a roll back will not say what it loses')
        }
      },
    },
  ]
}

async function remember({ context, live, staging }: Pair, step: StepContext): Promise<void> {
  const swap = await readSwap(context, live, step.signal)
  // Nothing that came later may count as pushed.
  if (swap?.operation !== operationOf(step) || swap.kind !== 'push' || swap.state !== 'finished') return
  const now = await contentNow(context, live, step)
  const base = await keptContentOf(context, staging, 'sent-base', step.signal)
  const start = await keptContentOf(context, staging, 'sent-start', step.signal)
  if (base !== null && start !== null) {
    // What the site alone has new is nothing that staging removed.
    const files = commonItems(base.files, start.files, now.files)
    const common = { files, database: swap.what === 'files' ? base.database : now.database }
    await keepContent(context, live, `pushed-base-${staging.id}`, common, step.signal)
    await keepContent(context, live, `pushed-start-${staging.id}`, start, step.signal)
  }
  await keepContent(context, live, 'pushed', now, step.signal)
}

/** Milliseconds to find out what a rollback would lose: somebody waits for it. */
const lossMs = 50_000

/** What a rollback would lose. */
export async function changesSincePush(context: EeContext, live: SiteRef, given?: AbortSignal): Promise<PushLoss> {
  const limit = AbortSignal.timeout(lossMs)
  const signal = given === undefined ? limit : AbortSignal.any([given, limit])
  const swap = await readSwap(context, live, signal)
  const { keptAt } = await readAbout(context, live, signal)
  if (keptAt === null || (swap !== null && swap.state !== 'finished')) throw pushNotKept()
  const pushed = await keptContentOf(context, live, 'pushed', signal)
  if (pushed === null)
    throw new EngineError('unavailable', msg`What the site was like after the push is not known.`, {
      nextAction: msg`Compare by hand what was added since.`,
    })
  try {
    const now = await contentNow(context, live, { signal, log: () => undefined })
    return { at: keptAt, ...lossBetween(pushed, now) }
  } catch (error) {
    given?.throwIfAborted()
    if (!limit.aborted) throw error
    throw new EngineError('unavailable', msg`What changed since the push could not be found out.`, {
      retryable: true,
      nextAction: msg`Try again when nobody changes the site.`,
      cause: error,
    })
  }
}
