import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` and settles no earlier than `leastMs`, so that the duration doesn't reveal which of two code paths ran. Choose
 * a minimum longer than both usually take.
 */
export async function withMinimumDuration<T>(leastMs: number, work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work(), sleep(leastMs)])
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}
