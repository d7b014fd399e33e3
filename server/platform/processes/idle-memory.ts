import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What the release of memory depends on. */
export interface MemorySource {
  /** Milliseconds this thread has been idle so far. */
  idleMs(): number
  /** Milliseconds so far, on the same clock. */
  nowMs(): number
  /** Bytes of this process in memory. */
  residentBytes(): number
  /** Collects garbage and gives its pages back; blocks the thread for 0.1 to 0.2 s. */
  collect(): void
}

/** Interval of the checks. */
const checkEveryMs = 2000
/** The thread is at rest if it was idle for this share of an interval. */
const restShare = 0.95
/** Growth since the last release that is worth a collection. */
const growthBytes = 32 * 1024 * 1024

/**
 * Gives memory back to the system when a load has passed. V8 collects when it allocates, so the heap of a process that has
 * nothing to do any more keeps the size of its busiest moment (measured: 300 MB for 50 MB in use).
 */
export function releaseMemoryWhenIdle(of: Partial<MemorySource> = {}): { stop(): void } {
  const source = { ...thisProcess(), ...of }
  let released = 0
  let [idle, now] = [source.idleMs(), source.nowMs()]
  const timer = setInterval(() => {
    const [idleBefore, before] = [idle, now]
    idle = source.idleMs()
    now = source.nowMs()
    if (idle - idleBefore < (now - before) * restShare) return
    const resident = source.residentBytes()
    // What was in use at the last release may be free by now.
    released = Math.min(released, resident)
    if (resident <= released + growthBytes) return
    source.collect()
    released = source.residentBytes()
  }, checkEveryMs).unref()
  return { stop: () => clearInterval(timer) }
}

function thisProcess(): MemorySource {
  // The collector is in no API of Node.js; a new context has it after this flag, without an option of the command line.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  return {
    idleMs: () => performance.eventLoopUtilization().idle,
    nowMs: () => performance.now(),
    residentBytes: () => process.memoryUsage.rss(),
    // Of the collections, only this one gives the pages back at once that V8 keeps for reuse (60 to 70 MB after a load). After others
    // they stay for another 8 s.
    collect: () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  }
}
