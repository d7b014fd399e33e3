import type { LocalizedMessage } from '#shared/localized-message.ts'
import { createAwakeContext, entryOf, type AwakeContext } from './awake-context.ts'
import type { AwakeOptions } from './awake-options.ts'
import type { SiteProcess } from './site-process-handle.ts'
import { keepAsleep, sleepSite } from './sleep-site.ts'
import { wakeSite } from './wake-site.ts'
import { watchLimits } from './watch-limits.ts'

/** The processes of awake sites. */
export interface AwakeSites {
  /** Returns the site's process; starts it if it sleeps. Concurrent callers share one start. */
  wake(id: string, signal?: AbortSignal): Promise<SiteProcess>
  /** The same without counting as use: for periodic work, which must not keep a site awake. */
  wakeWithoutUse(id: string, signal?: AbortSignal): Promise<SiteProcess>
  /** Keeps the site awake until the returned function is called. With `countsAsUse: false` it is not used longer by that. */
  hold(id: string, countsAsUse?: boolean): () => void
  running(id: string): SiteProcess | null
  /** Why the site is down after a crash; null if it is not. */
  crash(id: string): LocalizedMessage | null
  /** Stops the process, ends leftover processes, and resets its crashes. Rejects if something is still running then. */
  sleep(id: string): Promise<void>
  /**
   * Puts the site to sleep and keeps it asleep until the returned function is called: whoever wakes it waits. For work on files
   * that must not change, and for seconds only.
   */
  keepAsleep(id: string): Promise<() => void>
  /** Sites not used since `before` (milliseconds since 1970). */
  idleSince(before: number): string[]
  list(): Array<{ id: string; pid: number }>
  stopAll(): Promise<void>
}

/** Starts, monitors and stops the processes of sites. */
export function createAwakeSites(options: AwakeOptions): AwakeSites {
  const context = createAwakeContext(options)
  const { entries } = context
  const stopWatch = watchLimits(context)
  return {
    wake: (id, signal) => {
      entryOf(context, id).lastUsed = options.now()
      return wakeSite(context, id, signal)
    },
    wakeWithoutUse: (id, signal) => wakeSite(context, id, signal),
    hold: (id, countsAsUse = true) => holdSite(context, id, countsAsUse),
    running: (id) => entries.get(id)?.process ?? null,
    crash: (id) => entries.get(id)?.reason ?? null,
    sleep: (id) => sleepSite(context, id),
    keepAsleep: (id) => keepAsleep(context, id),
    idleSince: (before) =>
      [...entries.values()]
        .filter(({ process, holds, lastUsed }) => process !== null && holds === 0 && lastUsed < before)
        .map(({ id }) => id),
    list: () =>
      [...entries.values()].flatMap(({ id, process }) => (process === null ? [] : [{ id, pid: process.pid }])),
    stopAll: async () => {
      context.isStopped = true
      stopWatch()
      await Promise.all([...entries.keys()].map((id) => sleepSite(context, id)))
    },
  }
}

/** The same sites for work that does not count as use of them: one that it wakes sleeps again soon, and before those that are used. */
export function withoutUse(awake: AwakeSites): AwakeSites {
  return { ...awake, wake: awake.wakeWithoutUse, hold: (id) => awake.hold(id, false) }
}

function holdSite(context: AwakeContext, id: string, countsAsUse: boolean): () => void {
  const { now } = context.options
  const entry = entryOf(context, id)
  entry.holds += 1
  if (countsAsUse) entry.lastUsed = now()
  let released = false
  return () => {
    if (released) return
    released = true
    entry.holds -= 1
    if (countsAsUse) entry.lastUsed = now()
  }
}
