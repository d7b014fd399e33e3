import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** What the release of pooled pages depends on. */
export interface PageSource {
  /** Bytes of this process in memory, apart from those of its JavaScript heap: code, buffers, and pages kept for reuse. */
  otherBytes(): number
  /** Whether the next full collection gives the pages back that V8 keeps for reuse. */
  giveBack(on: boolean): void
}

/** Interval of the checks. */
const checkEveryMs = 2000
/**
 * Growth that is worth a collection which takes a little longer. With 24 MB they were so frequent that a call cost a fifth more
 * (docs/benchmarks.md).
 */
const growthBytes = 56 * 1024 * 1024
/**
 * Bounds the memory that V8 keeps for reuse. It doesn't return the pages of its young generation while a process is busy
 * (measured: 80 to 100 MB after 20 s of load), except with collections that optimize for size, which all collections can't do
 * without making calls slower. So one of them does whenever these pages have become many.
 */
export function releasePooledPages(of: Partial<PageSource> = {}): { stop(): void } {
  const source = { ...thisProcess(), ...of }
  let least = source.otherBytes()
  let isGivingBack = false
  const timer = setInterval(() => {
    const now = source.otherBytes()
    least = Math.min(least, now)
    if (!isGivingBack && now <= least + growthBytes) return
    // Under load that collection comes within one interval; without load there is `releaseMemoryWhenIdle`.
    isGivingBack = !isGivingBack
    source.giveBack(isGivingBack)
    // What is still there is in use.
    if (!isGivingBack) least = now
  }, checkEveryMs).unref()
  return { stop: () => clearInterval(timer) }
}

function thisProcess(): PageSource {
  return {
    otherBytes: () => process.memoryUsage.rss() - getHeapStatistics().total_physical_size,
    giveBack: (on) => setFlagsFromString(on ? '--optimize-for-size' : '--no-optimize-for-size'),
  }
}
