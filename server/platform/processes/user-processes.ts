import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const endWithinMs = 10_000
const run = promisify(execFile)

/** Process ids of a user, without zombies. */
export async function processesOf(uid: number): Promise<number[]> {
  if (process.platform !== 'linux') {
    // If the user has no process, `ps` exits with code 1.
    const { stdout } = await run('ps', ['-U', String(uid), '-o', 'pid=']).catch(() => ({ stdout: '' }))
    return stdout.split('\n').map(Number).filter(Boolean)
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOf(uid, name))
    .map(Number)
}

/** User ids that currently have processes. */
export async function userIdsWithProcesses(): Promise<Set<number>> {
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-A', '-o', 'uid='])
    return new Set(stdout.split('\n').filter(Boolean).map(Number))
  }
  const users = new Set<number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stats = statSync(`/proc/${name}`, { throwIfNoEntry: false })
    if (stats !== undefined) users.add(stats.uid)
  }
  return users
}

/** The /proc folder of a process belongs to its effective user, even if the process hides the files in it. */
function isOf(uid: number, pid: string): boolean {
  try {
    if (statSync(`/proc/${pid}`).uid !== uid) return false
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z'
  } catch {
    // The process ended meanwhile.
    return false
  }
}

/**
 * Kills every process of a user and resolves when none is left. Requires root; the user must be a dedicated one. Throws if
 * some are left after ten seconds.
 */
export async function endProcessesOf(uid: number): Promise<void> {
  if (uid < 1000) throw new Error(`User ${uid} is not a site’s.`)
  for (const deadline = Date.now() + endWithinMs; ;) {
    const pids = await processesOf(uid)
    if (pids.length === 0) return
    if (Date.now() > deadline)
      throw new Error(`Processes of user ${uid} could not be ended: ${pids.slice(0, 10).join(', ')}`)
    for (const pid of pids) end(pid)
    await killAllOfUser(uid)
    await delay(10)
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process ended meanwhile; the next pass finds those that are left.
  }
}

/**
 * Killing processes one by one can't keep up with processes that fork quickly. A signal to "-1" goes to all processes the
 * sender may signal, atomically, and not to the sender (`kill(2)`), so that user sends it.
 */
function killAllOfUser(uid: number): Promise<void> {
  return new Promise((resolve) => {
    const killer = spawn('/bin/sh', ['-c', 'kill -9 -1'], { uid, gid: uid, env: {}, cwd: '/', stdio: 'ignore' })
    // Also after a failure: the next pass finds what is left.
    killer.once('error', () => resolve())
    killer.once('exit', () => resolve())
  })
}
