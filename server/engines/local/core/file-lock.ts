import { open, readFile, rm, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** A lock older than this is believed abandoned even when a process of that id lives. */
const staleAfterMs = 15 * 60_000
const pollMs = 200

/**
 * Runs `work` while this process holds the lock file, waiting for other holders.
 * A holder that died is recognised by its process id.
 */
export async function withFileLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  while (!(await tryLock(path))) {
    await dropIfStale(path)
    await delay(pollMs, undefined, { signal })
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx')
    await file.writeFile(String(process.pid))
    await file.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function dropIfStale(path: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path)
    const age = Date.now() - mtimeMs
    const holder = Number.parseInt(await readFile(path, 'utf8'), 10)
    // A fresh file without a number is a holder between creating and writing.
    const dead = Number.isNaN(holder) ? age > 5_000 : !isAlive(holder)
    if (dead || age > staleAfterMs) await rm(path, { force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Whether a process of this id exists (also one of another user). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
