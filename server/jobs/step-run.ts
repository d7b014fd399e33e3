import { jobLabelMessage } from '#shared/localized-message.ts'
import { sleep, type Clock } from './clock.ts'
import { DeadlineError, isRetryable, messageOf } from './failure.ts'
import type { JobContext, JobStepDefinition, StepWait } from '#server/contracts/job.ts'

/** Maximum number of attempts of a step that fails with a retryable error. */
const maxTries = 5
/** How long a step can take to stop after its signal before it is abandoned (its writes are fenced off). */
const settleMs = 5000
const usualDeadlineSeconds = 120

/** Deadline of a step in seconds, including time spent waiting. */
export function stepDeadlineSeconds(step: JobStepDefinition): number {
  return step.deadlineSeconds ?? usualDeadlineSeconds
}

/**
 * Resolves with `work`. On abort, rejects with the signal's reason, but only after `work` has stopped or its grace period
 * has passed.
 */
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
    // If a step throws because it was aborted, the signal's reason is meaningful; its own error isn't.
    throw signal.aborted ? (signal.reason as Error) : error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** A further attempt of a step, and the error of the one before. */
interface NextAttempt {
  readonly attempt: number
  readonly of: number
  readonly error: unknown
}

/**
 * Runs one step that started at `started` (ms since the epoch): within its deadline, and retried after increasing pauses (1,
 * 2, 4, 8 s) while its error is retryable. If the step waits, resolves with what it waits for. Rejects with the step's last
 * error, a DeadlineError, or the reason of the run's signal. `onRetry` is told before each further attempt.
 */
export async function runStep(
  step: JobStepDefinition,
  context: JobContext,
  clock: Clock,
  started: number,
  onRetry: (next: NextAttempt) => void,
): Promise<StepWait | void> {
  const seconds = stepDeadlineSeconds(step)
  const late = new AbortController()
  const tooLate = () => late.abort(new DeadlineError(jobLabelMessage(step.label), seconds))
  const left = started + seconds * 1000 - clock.now()
  const timer = clock.setTimeout(tooLate, Math.max(0, left))
  if (left <= 0) tooLate()
  const signal = AbortSignal.any([context.signal, late.signal])
  const own: JobContext = {
    ...context,
    signal,
    get kept() {
      return context.kept
    },
  }
  try {
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted()
      try {
        return await untilAborted(clock, step.run(own), signal)
      } catch (error) {
        if (signal.aborted || attempt === maxTries || !isRetryable(error)) throw error
        const pause = 2 ** (attempt - 1)
        context.log(`${messageOf(error)} Trying again in ${pause} s (${attempt + 1} of ${maxTries}).`)
        onRetry({ attempt: attempt + 1, of: maxTries, error })
        await sleep(clock, pause * 1000, signal)
      }
    }
  } finally {
    clock.clearTimeout(timer)
  }
}
