import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` and settles no earlier than `minMs`, so that the duration doesn't reveal which of two code paths ran. Choose
 * a minimum longer than both usually take.
 */
export async function withMinimumDuration<T>(minMs: number, work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work(), sleep(minMs)])
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}
