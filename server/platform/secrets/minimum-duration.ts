import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` and answers (or fails) not before `leastMs` have passed, so that the time does not tell which of two ways
 * the work took. The floor must be longer than both ways usually take.
 */
export async function withMinimumDuration<T>(leastMs: number, work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work(), sleep(leastMs)])
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}
