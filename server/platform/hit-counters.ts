import type { RateLimit } from './rate-limits.ts'

/** Counts hits in memory: of this process, or of the one that counts for all. */
export interface HitCounters {
  /** Counts a hit of a key. Returns 0, or the seconds to wait if it is rejected, and then counts nothing. */
  hit(key: string, limit: RateLimit): number | Promise<number>
  /** Takes a hit back. */
  refund(key: string): void
  clear(key: string): void
  /** Forgets what has expired. */
  sweep(): void
}

/** Those of this process count several hits at once, too. */
export interface OwnHitCounters extends HitCounters {
  /** A whole window if so many can never fit. */
  hit(key: string, limit: RateLimit, amount?: number): number
  /** Takes hits back from the window they were counted in. */
  refund(key: string, amount?: number, secondsAgo?: number): void
}

/** Two adjacent windows; the older one counts by the fraction of it that is still inside the sliding window. */
interface MemoryWindow {
  start: number
  seconds: number
  count: number
  before: number
}

/** Counts hits in the memory of this process. */
export function createHitCounters(nowMs: () => number = Date.now): OwnHitCounters {
  const windows = new Map<string, MemoryWindow>()
  const now = () => nowMs() / 1000

  function windowOf(key: string, { seconds }: RateLimit, time: number): MemoryWindow {
    const start = Math.floor(time / seconds) * seconds
    const old = windows.get(key)
    if (old?.start === start) return old
    const window = { start, seconds, count: 0, before: old?.start === start - seconds ? old.count : 0 }
    windows.set(key, window)
    return window
  }

  return {
    hit(key, limit, amount = 1) {
      const time = now()
      const window = windowOf(key, limit, time)
      const { start, count, before } = window
      const passed = (time - start) / limit.seconds
      // Tolerance for floating-point error in the sum.
      if (count + before * (1 - passed) + amount <= limit.limit + 1e-9) {
        window.count += amount
        return 0
      }
      if (amount > limit.limit) return limit.seconds
      const inNextWindow = count + amount > limit.limit
      const [from, fading, fixed] = inNextWindow ? [start + limit.seconds, count, 0] : [start, before, count]
      return from + (1 - (limit.limit - amount - fixed) / fading) * limit.seconds - time
    },
    refund(key, amount = 1, secondsAgo = 0) {
      const window = windows.get(key)
      if (!window) return
      const counted = now() - secondsAgo
      if (counted >= window.start) window.count = Math.max(0, window.count - amount)
      else if (counted >= window.start - window.seconds) window.before = Math.max(0, window.before - amount)
    },
    clear: (key) => void windows.delete(key),
    sweep() {
      for (const [key, { start, seconds }] of windows) if (start + 2 * seconds <= now()) windows.delete(key)
    },
  }
}
