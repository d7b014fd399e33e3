import type { RateLimit } from './rate-limits.ts'

/** Counts hits in memory: of this process, or of the one that counts for all. */
export interface HitCounters {
  /** Counts hits of a key. Returns 0, or the seconds to wait if they are rejected, and then count nothing. */
  hit(key: string, limit: RateLimit, amount?: number): number | Promise<number>
  /** Takes hits back. */
  refund(key: string, amount?: number): void
  clear(key: string): void
  /** Forgets what has expired. */
  sweep(): void
}

/** Counts hits in the memory of this process. */
export function createHitCounters(
  nowMs: () => number = Date.now,
): HitCounters & { hit(...of: Parameters<HitCounters['hit']>): number } {
  const windows = new Map<string, MemoryWindow>()
  const now = () => nowMs() / 1000
  return {
    hit: (key, limit, amount = 1) => hitMemory(windows, key, limit, now(), amount),
    refund(key, amount = 1) {
      const window = windows.get(key)
      if (window) window.count = Math.max(0, window.count - amount)
    },
    clear: (key) => void windows.delete(key),
    sweep() {
      for (const [key, { expires }] of windows) if (expires <= now()) windows.delete(key)
    },
  }
}

/** Two adjacent windows; the older one counts by the fraction of it that is still inside the sliding window. */
export interface MemoryWindow {
  start: number
  count: number
  before: number
  expires: number
}

/** Counts hits; returns 0, or the seconds to wait if they are rejected: a whole window if they can never fit. */
export function hitMemory(
  memory: Map<string, MemoryWindow>,
  key: string,
  limit: RateLimit,
  time: number,
  amount = 1,
): number {
  const start = Math.floor(time / limit.seconds) * limit.seconds
  const old = memory.get(key)
  const window =
    old && old.start === start
      ? old
      : {
          start,
          count: 0,
          before: old && old.start === start - limit.seconds ? old.count : 0,
          expires: start + 2 * limit.seconds,
        }
  memory.set(key, window)
  const passed = (time - start) / limit.seconds
  // Tolerance for floating-point error in the sum.
  if (window.count + window.before * (1 - passed) + amount > limit.limit + 1e-9) {
    if (amount > limit.limit) return limit.seconds
    const inNextWindow = window.count + amount > limit.limit
    const [from, fading, fixed] = inNextWindow
      ? [start + limit.seconds, window.count, 0]
      : [start, window.before, window.count]
    return from + (1 - (limit.limit - amount - fixed) / fading) * limit.seconds - time
  }
  window.count += amount
  return 0
}
