import { setTimeout as delay } from 'node:timers/promises'
import { takeLock } from '#server/platform/processes/lock-file.ts'

const pollMs = 200

/**
 * Runs `work` while this process holds the lock file; waits for other holders (downloads: minutes) until `signal` aborts.
 * The lock of a dead process is detected.
 */
export async function withFileLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  let lock = await takeLock(path)
  while (!lock.held) {
    await delay(pollMs, undefined, { signal })
    lock = await takeLock(path)
  }
  try {
    signal.throwIfAborted()
    return await work()
  } finally {
    await lock.release()
  }
}
