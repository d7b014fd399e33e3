import type { HitCounters, OwnHitCounters } from './hit-counters.ts'
import type { RateLimit } from './rate-limits.ts'

/** Hits that the counting process grants, or the seconds to wait if there are none. */
export interface Grant {
  readonly granted: number
  readonly waitSeconds: number
}

/** Asks the process that counts for hits of a key. `unused` are given back of those granted `secondsAgo`. */
export type AskForHits = (
  key: string,
  limit: RateLimit,
  wanted: number,
  unused: number,
  secondsAgo: number,
) => Promise<Grant>

/** How long granted hits can be used (ms): after that they are given back with the next request for more. */
const usableMs = 1000
/** A key gets this share of its limit at once, at most. */
const largestShare = 1 / 50
/** Keys are forgotten after this time without a hit (ms). */
const keptMs = 120_000

/** Hits of this process, granted by the one that counts. */
export interface LeasedHits extends HitCounters {
  hit(key: string, limit: RateLimit): Promise<number>
}

interface Lease {
  left: number
  size: number
  until: number
  asking: Promise<Grant> | null
}

/**
 * Counts hits of several processes together: one process counts, the others ask it. A caller who sends many requests gets some at
 * once, twice as many each time, so that not every request needs a message. No more pass than the limit; those that another process
 * has not used yet are missing for a moment.
 */
export function createLeasedHits(ask: AskForHits, now: () => number = () => performance.now()): LeasedHits {
  const leases = new Map<string, Lease>()

  async function renew(key: string, limit: RateLimit, lease: Lease): Promise<Grant> {
    const asked = now()
    const isBusy = lease.until > asked
    const most = Math.max(1, Math.floor(limit.limit * largestShare))
    const wanted = isBusy ? Math.min(lease.size * 2, most) : 1
    const unused = lease.left
    lease.left = 0
    const grant = await ask(key, limit, wanted, unused, (asked - lease.until + usableMs) / 1000)
    Object.assign(lease, { left: grant.granted, size: Math.max(1, grant.granted), until: now() + usableMs })
    return grant
  }

  return {
    async hit(key, limit) {
      const lease = leases.get(key) ?? { left: 0, size: 1, until: 0, asking: null }
      leases.set(key, lease)
      while (lease.left === 0 || lease.until <= now()) {
        lease.asking ??= renew(key, limit, lease).finally(() => {
          lease.asking = null
        })
        const { granted, waitSeconds } = await lease.asking
        if (granted === 0) return waitSeconds
      }
      lease.left -= 1
      return 0
    },
    refund(key) {
      const lease = leases.get(key)
      if (lease) lease.left += 1
    },
    clear: (key) => void leases.delete(key),
    sweep() {
      for (const [key, { until, asking }] of leases) if (asking === null && until + keptMs <= now()) leases.delete(key)
    },
  }
}

/** The answer of the process that counts. */
export function grantHits(
  counters: Pick<OwnHitCounters, 'hit' | 'refund'>,
  ...[key, limit, wanted, unused, secondsAgo]: Parameters<AskForHits>
): Grant {
  if (unused > 0) counters.refund(key, unused, secondsAgo)
  const wait = counters.hit(key, limit, wanted)
  if (wait === 0) return { granted: wanted, waitSeconds: 0 }
  const waitSeconds = wanted === 1 ? wait : counters.hit(key, limit, 1)
  return waitSeconds === 0 ? { granted: 1, waitSeconds: 0 } : { granted: 0, waitSeconds }
}
