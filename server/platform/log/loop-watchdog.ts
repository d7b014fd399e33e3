import { AsyncLocalStorage } from 'node:async_hooks'
import { closeSync, openSync, readSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { promiseHooks } from 'node:v8'
import type { Log } from './log.ts'

/** A unit of work, e.g. one request. The same object means the same task. */
export interface Task {
  /** For the log: a route, or a job's step. Called only if the task has blocked the event loop. */
  describe(): string
}

const tasks = new AsyncLocalStorage<Task>()
/** Called when a task continues; null without a watchdog. */
let onEnter: ((task: Task | undefined) => void) | null = null

/** Runs work as a task: everything after any `await` in it belongs to the task as well. */
export function runTask<T>(task: Task, work: () => T): T {
  return tasks.run(task, () => {
    onEnter?.(task)
    return work()
  })
}

/** A task with a fixed name. */
export function namedTask(name: string): Task {
  return { describe: () => name }
}

/** How often the event loop was blocked, and the total duration. */
export interface LoopStats {
  readonly blocked: number
  readonly blockedMs: number
}

/** A running watchdog. */
export interface LoopWatchdog {
  figures(): LoopStats
  stop(): void
}

/** A task that blocks the event loop for longer than this is logged. */
export const longestTaskMs = 200
/** Interval of the checks: a longer gap between two checks means that the loop was blocked. */
const checkEveryMs = 50

/** What this thread did with its time so far, in milliseconds. */
export interface ThreadTimes {
  now(): number
  /** While the event loop was idle. */
  slept(): number
  /** While the thread could have run, and others did. */
  waited(): number
  /** On a processor. */
  used(): number
  close(): void
}

/** Tests search the log for this message. */
export const blockedMessage = 'A task blocked the event loop'

/**
 * Detects when one task blocks the event loop of this thread, and logs which one. V8 calls a hook before each continuation
 * of a promise, where its task is known; if two such calls are far apart, the task between them blocked the loop. Time the
 * thread waited for a processor used by others, and time the loop was idle, is not counted. Tests replace `times`.
 */
export function watchLoop(log: Pick<Log, 'warn'>, times: ThreadTimes = openThreadTimes()): LoopWatchdog {
  let current: Task | undefined
  let since = times.now()
  let blocked = 0
  let blockedMs = 0
  const measure = () => ({ slept: times.slept(), waited: times.waited(), used: times.used() })
  let before = measure()
  let measuredAt = since

  function enter(task: Task | undefined): void {
    if (task === current) return
    const now = times.now()
    if (now - since > longestTaskMs) look(now)
    current = task
    since = now
    // The timer fires late on a busy machine: waiting time before the task must not be subtracted from it.
    if (now - measuredAt > checkEveryMs) remember(now)
  }

  function remember(now: number): void {
    before = measure()
    measuredAt = now
  }

  /** After a gap: `before` is at most `checkEveryMs` older than the task. */
  function look(now: number): void {
    const { slept: sleptNow, waited, used } = measure()
    const tookMs = Math.round(now - since - (sleptNow - before.slept) - (waited - before.waited))
    if (tookMs <= longestTaskMs) return
    blocked += 1
    blockedMs += tookMs
    const task = current?.describe() ?? 'unknown'
    // The log redacts and writes a file: that belongs to no task.
    current = undefined
    // A CPU time far below the duration means that it waited for the disk or another program.
    log.warn(blockedMessage, { task, tookMs, processorMs: Math.round(used - before.used) })
  }

  onEnter = enter
  const stopHook = promiseHooks.onBefore(() => enter(tasks.getStore())) as () => void
  const timer = setInterval(() => {
    enter(undefined)
    const now = times.now()
    // No task started since the last check, and yet the loop was blocked: by a callback that belongs to no task.
    if (now - since > longestTaskMs) look(now)
    since = now
    remember(now)
  }, checkEveryMs).unref()
  return {
    figures: () => ({ blocked, blockedMs }),
    stop() {
      clearInterval(timer)
      stopHook()
      if (onEnter === enter) onEnter = null
      times.close()
    },
  }
}

/** The times of the main thread. Only Linux reports `waited` (Documentation/scheduler/sched-stats.rst); elsewhere it is 0. */
function openThreadTimes(): ThreadTimes {
  let file: number | null
  try {
    file = openSync('/proc/self/schedstat', 'r')
  } catch {
    file = null
  }
  const bytes = Buffer.alloc(96)
  return {
    now: () => performance.now(),
    slept: () => performance.eventLoopUtilization().idle,
    waited() {
      if (file === null) return 0
      const length = readSync(file, bytes, 0, bytes.length, 0)
      return Number(bytes.toString('latin1', 0, length).split(' ')[1] ?? 0) / 1e6
    },
    used() {
      const { user, system } = process.threadCpuUsage()
      return (user + system) / 1000
    },
    close() {
      if (file !== null) closeSync(file)
    },
  }
}
