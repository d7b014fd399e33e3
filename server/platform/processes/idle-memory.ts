import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What the release of memory depends on. */
export interface MemorySource {
  /** Milliseconds this thread has been idle so far. */
  idleMs(): number
  /** Milliseconds so far, on the same clock. */
  nowMs(): number
  /** Bytes that the JavaScript heap takes, free parts included. */
  heapBytes(): number
  /** Collects garbage; blocks the thread for some tens of milliseconds. */
  collect(): void
}

/** Interval of the checks. */
const checkEveryMs = 2000
/** The thread is at rest if it was idle for this share of an interval. */
const restShare = 0.95
/** Growth of the heap since the last release that is worth a collection. */
const growthBytes = 32 * 1024 * 1024
/** One collection marks what is free, the next one gives its pages back. */
const collections = 2

/**
 * Gives memory back to the system when a load has passed. V8 collects when it allocates, so the heap of a process that has
 * nothing to do any more keeps the size of its busiest moment (measured: 300 MB for 50 MB in use).
 */
export function releaseMemoryWhenIdle(of: Partial<MemorySource> = {}): { stop(): void } {
  const source = { ...thisProcess(), ...of }
  let left = collections
  let released = 0
  let [idle, now] = [source.idleMs(), source.nowMs()]
  const timer = setInterval(() => {
    const [idleBefore, before] = [idle, now]
    idle = source.idleMs()
    now = source.nowMs()
    if (idle - idleBefore < (now - before) * restShare) return
    if (left === 0 && source.heapBytes() > released + growthBytes) left = collections
    if (left === 0) return
    left -= 1
    source.collect()
    released = source.heapBytes()
  }, checkEveryMs).unref()
  return { stop: () => clearInterval(timer) }
}

function thisProcess(): MemorySource {
  // The collector is in no API of Node.js; a new context has it after this flag, without an option of the command line.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  return {
    idleMs: () => performance.eventLoopUtilization().idle,
    nowMs: () => performance.now(),
    heapBytes: () => getHeapStatistics().total_heap_size,
    collect: () => collect(),
  }
}
