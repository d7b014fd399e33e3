import { AsyncLocalStorage } from 'node:async_hooks'
import { closeSync, openSync, readSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { promiseHooks } from 'node:v8'
import type { Log } from './log.ts'

/** What the program is doing for somebody, e.g. one request. The same object means the same task. */
export interface Task {
  /** For the log: a route, or a job's step. Asked for only when the task has blocked the loop. */
  describe(): string
}

const tasks = new AsyncLocalStorage<Task>()
/** Told that a task goes on; null while nobody watches. */
let onEnter: ((task: Task | undefined) => void) | null = null

/** Runs work as a task: what it does later, after any `await`, belongs to the task as well. */
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

/** How often the loop was blocked, and for how long together. */
export interface LoopFigures {
  readonly blocked: number
  readonly blockedMs: number
}

/** A running watchdog. */
export interface LoopWatchdog {
  figures(): LoopFigures
  stop(): void
}

/** Whoever blocks the event loop for longer than this keeps everybody else waiting for it. */
export const longestTaskMs = 200
/** How often the loop is looked at: no gap between two looks is longer unless it is blocked. */
const lookEveryMs = 50

/** What the tests read in the log. */
export const blockedMessage = 'A task blocked the event loop'

/**
 * Notices when one task keeps the event loop of this thread to itself, and logs which one. V8 calls us before each
 * continuation of a promise, where the task it belongs to is known; two such calls that lie far apart have the blocking
 * task between them. What the thread waited for a processor that others used, and what the loop slept, does not count.
 */
export function watchLoop(log: Pick<Log, 'warn'>): LoopWatchdog {
  let current: Task | undefined
  let since = performance.now()
  let blocked = 0
  let blockedMs = 0
  const processor = openSchedstat()
  const measure = () => ({ slept: slept(), waited: processor.waitedMs(), used: usedMs() })
  let before = measure()
  let measuredAt = since

  function enter(task: Task | undefined): void {
    if (task === current) return
    const now = performance.now()
    if (now - since > longestTaskMs) look(now)
    current = task
    since = now
    // The timer is late on a busy machine: what was waited for before the task must not be taken off from it.
    if (now - measuredAt > lookEveryMs) remember(now)
  }

  function remember(now: number): void {
    before = measure()
    measuredAt = now
  }

  /** After a gap: `before` is at most `lookEveryMs` older than the task. */
  function look(now: number): void {
    const { slept: sleptNow, waited, used } = measure()
    const tookMs = Math.round(now - since - (sleptNow - before.slept) - (waited - before.waited))
    if (tookMs <= longestTaskMs) return
    blocked += 1
    blockedMs += tookMs
    const task = current?.describe() ?? 'unknown'
    // The log redacts and writes a file: that belongs to no task.
    current = undefined
    // Much less of the processor than it took: it waited for the disk or another program.
    log.warn(blockedMessage, { task, tookMs, processorMs: Math.round(used - before.used) })
  }

  onEnter = enter
  const stopHook = promiseHooks.onBefore(() => enter(tasks.getStore())) as () => void
  const looking = setInterval(() => {
    enter(undefined)
    const now = performance.now()
    // Nothing has begun since the last look, and yet the loop stood still: a callback of nobody's task.
    if (now - since > longestTaskMs) look(now)
    since = now
    remember(now)
  }, lookEveryMs).unref()
  return {
    figures: () => ({ blocked, blockedMs }),
    stop() {
      clearInterval(looking)
      stopHook()
      if (onEnter === enter) onEnter = null
      processor.close()
    },
  }
}

/** Milliseconds this thread has had the processor so far. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds the loop has waited for events so far. */
const slept = (): number => performance.eventLoopUtilization().idle

/**
 * How long the main thread has been ready to run while others ran, in milliseconds; 0 where the system does not say
 * (Linux alone does: Documentation/scheduler/sched-stats.rst).
 */
function openSchedstat(): { waitedMs(): number; close(): void } {
  let file: number
  try {
    file = openSync('/proc/self/schedstat', 'r')
  } catch {
    return { waitedMs: () => 0, close: () => undefined }
  }
  const bytes = Buffer.alloc(96)
  return {
    waitedMs() {
      const length = readSync(file, bytes, 0, bytes.length, 0)
      return Number(bytes.toString('latin1', 0, length).split(' ')[1] ?? 0) / 1e6
    },
    close: () => closeSync(file),
  }
}
