import { stored } from '#shared/sentence.ts'
import { sleep, type Clock } from './clock.ts'
import { DeadlineError, isRetryable, messageOf } from './failure.ts'
import type { JobContext, JobStepDefinition, StepWait } from './types.ts'

/** Most tries of a step whose error says that another one can help. */
const mostTries = 5
/** How long a step may take to stop after its signal, before it is left behind (its writes are fenced off). */
const settleMs = 5000
const usualDeadlineSeconds = 120

/** Seconds a step may take, what it waits for included. */
export function stepDeadlineSeconds(step: JobStepDefinition): number {
  return step.deadlineSeconds ?? usualDeadlineSeconds
}

/** Resolves with `work`; rejects with the signal's reason, but only once `work` has stopped or had its time to. */
export async function untilAborted<T>(clock: Clock, work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: () => void = () => undefined
  const aborted = new Promise<'aborted'>((resolve) => {
    onAbort = () => resolve('aborted')
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    const first = await Promise.race([work.then((value) => ({ value })), aborted])
    if (first !== 'aborted') return first.value
    await Promise.race([
      work.then(
        () => undefined,
        () => undefined,
      ),
      sleep(clock, settleMs),
    ])
    throw signal.reason as Error
  } catch (error) {
    // A step that threw because it was told to stop: the reason says why, its own error does not.
    throw signal.aborted ? (signal.reason as Error) : error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Runs one step that began at `started` (ms since the epoch): within its deadline, repeated with growing pauses (1, 2, 4,
 * 8 s) while its error is retryable. Resolves with what the step waits for, if it does. Rejects with the step's last
 * error, a DeadlineError, or the reason of the run's signal.
 */
export async function runStep(
  step: JobStepDefinition,
  context: JobContext,
  clock: Clock,
  started: number,
): Promise<StepWait | void> {
  const seconds = stepDeadlineSeconds(step)
  const late = new AbortController()
  const tooLate = () => late.abort(new DeadlineError(stored(step.label), seconds))
  const left = started + seconds * 1000 - clock.now()
  const timer = clock.setTimeout(tooLate, Math.max(0, left))
  if (left <= 0) tooLate()
  const signal = AbortSignal.any([context.signal, late.signal])
  const own: JobContext = { ...context, signal }
  try {
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted()
      try {
        return await untilAborted(clock, step.run(own), signal)
      } catch (error) {
        if (signal.aborted || attempt === mostTries || !isRetryable(error)) throw error
        const pause = 2 ** (attempt - 1)
        context.log(`${messageOf(error)} Trying again in ${pause} s (${attempt + 1} of ${mostTries}).`)
        await sleep(clock, pause * 1000, signal)
      }
    }
  } finally {
    clock.clearTimeout(timer)
  }
}
