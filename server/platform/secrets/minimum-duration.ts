import { setTimeout as timer } from 'node:timers/promises'

/**
 * Runs `work` and settles no earlier than `minMs`, so that the duration doesn't reveal which of two code paths ran. Choose
 * a minimum longer than both usually take. Tests replace `sleep`.
 */
export async function withMinimumDuration<T>(
  minMs: number,
  work: () => Promise<T>,
  sleep: (ms: number) => Promise<unknown> = timer,
): Promise<T> {
  const [outcome] = await Promise.allSettled([work(), sleep(minMs)])
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}
