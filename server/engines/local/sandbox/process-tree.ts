import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, processIdentity } from '#server/platform/processes/processes.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'

/**
 * The process that a sandbox started: the last one in the chain of processes below `pid`.
 * @returns `pid` itself if it has no child, or if the system does not report it
 */
export function innermostProcess(pid: number): number {
  if (process.platform !== 'linux') return pid
  const childOf = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(name) : null
    if (parent !== null) childOf.set(parent, Number(name))
  }
  let last = pid
  for (let next: number | undefined = pid; next !== undefined; next = childOf.get(next)) last = next
  return last
}

function parentOf(name: string): number | null {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch (error) {
    // It ended meanwhile.
    if (['ENOENT', 'ESRCH'].includes(systemErrorCode(error))) return null
    throw error
  }
}

/** A process with its identity, because its id may be reused later. */
export interface FoundProcess {
  pid: number
  identity: string | null
}

/** Records which process has this id now. */
export const foundProcess = (pid: number): FoundProcess => ({ pid, identity: processIdentity(pid) })

/** Kills a process unless it is gone. */
export function endProcess({ pid, identity }: FoundProcess): void {
  if (pid <= 1 || identity === null || processIdentity(pid) !== identity) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error
  }
}

/** How long to wait for a killed process. */
const goneWithinMs = 5_000

/** Kills a process unless it is gone, and waits until it is. */
export async function killAndWait(found: FoundProcess): Promise<void> {
  endProcess(found)
  const isThere = (): boolean => isAlive(found.pid) && processIdentity(found.pid) === found.identity
  for (const deadline = Date.now() + goneWithinMs; isThere() && Date.now() < deadline;) await delay(5)
}

/** Errors for a process or thread that is gone, or that we may not change. */
const unchangeable = /ESRCH|EPERM|EACCES/

/**
 * Lowers the priority of a process and all its threads. Linux has a priority per thread: those that compile, collect garbage
 * and do cryptography would keep theirs, and a site's code can keep all of them busy.
 */
export function lowerPriorityOf(pid: number, niceness: number): void {
  const lowered = new Set<number>()
  for (let fresh = [pid]; fresh.length > 0; fresh = threadsOf(pid).filter((thread) => !lowered.has(thread))) {
    for (const thread of fresh) {
      lowered.add(thread)
      try {
        setPriority(thread, niceness)
      } catch (error) {
        if (!unchangeable.test(String(error))) throw error
      }
    }
  }
}

/** Thread ids of a process, as seen outside its namespaces; empty if the system has no list. */
function threadsOf(pid: number): number[] {
  if (process.platform !== 'linux') return []
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(systemErrorCode(error))) return []
    throw error
  }
}

/** Makes the kernel kill this process before the dashboard or its database when memory runs out. */
export function preferForOutOfMemory(pid: number): void {
  if (process.platform !== 'linux') return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch (error) {
    // It is gone, or the system doesn't allow it: nothing else depends on it.
    if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(systemErrorCode(error))) throw error
  }
}
