import { createHash, randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, processIdentity } from './processes.ts'
import { createFile } from '../files/create-file.ts'
import { readFileIfExists } from '../files/read-file-if-exists.ts'

/** Either held by us, with a function that releases it, or the id of the running process that holds it. */
export type Lock = { held: true; release: () => Promise<void> } | { held: false; holder: number }

const POLL_MS = 20

/** Id of the running process that wrote this lock; null if it ended (or its id was reused). */
function runningHolder(text: string): number | null {
  const [pid = '', identity = ''] = text.trim().split(' ')
  const number = Number(pid)
  return /^\d+$/.test(pid) && isAlive(number) && processIdentity(number) === identity ? number : null
}

/**
 * Removes a lock whose holder ended. Guarded by another lock for exactly this text, so that only one process at a time can
 * do so: a slow one would otherwise remove the lock that a running process created in the meantime. No two locks have the
 * same text.
 */
async function removeStale(path: string, text: string): Promise<void> {
  const guard = await takeLock(`${path}.${createHash('sha256').update(text).digest('hex').slice(0, 12)}`)
  if (!guard.held) {
    await sleep(POLL_MS)
    return
  }
  try {
    if ((await readFileIfExists(path)) === text) await rm(path, { force: true })
  } finally {
    await guard.release()
  }
}

/** Tries to take a lock that is held until this process ends; works on any local file system. */
export async function takeLock(path: string): Promise<Lock> {
  const mine = `${process.pid} ${processIdentity(process.pid) ?? ''} ${randomBytes(6).toString('hex')}\n`
  for (;;) {
    if (await createFile(path, mine)) break
    const text = await readFileIfExists(path)
    if (text === null) continue
    const holder = runningHolder(text)
    if (holder !== null) return { held: false, holder }
    await removeStale(path, text)
  }
  return {
    held: true,
    async release() {
      const now = await readFile(path, 'utf8').catch(() => '')
      if (now === mine) await rm(path, { force: true })
    },
  }
}

/** Runs a function while holding the lock; waits until the lock is free. */
export async function withLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  let lock = await takeLock(path)
  while (!lock.held) {
    await sleep(POLL_MS)
    lock = await takeLock(path)
  }
  try {
    return await run()
  } finally {
    await lock.release()
  }
}
