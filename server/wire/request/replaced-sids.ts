/** How long responses to requests with the previous sid may still be on their way (ms). */
const keptMs = 60_000
const maxKept = 10_000

/**
 * Sids that the browser itself had replaced a moment ago, by a login or a password check. Requests of its open pages with the
 * old one may still be under way; their responses must not overwrite the new cookie, nor remove it. The old sid grants
 * nothing anymore.
 */
export interface ReplacedSids {
  /** Resolves when every web process knows it. */
  add(sid: string): Promise<void>
  /** Another process replaced it. */
  addHere(sid: string): void
  has(sid: string | null): boolean
}

/** Remembers the replaced sids. `announce` tells other processes. */
export function createReplacedSids(
  now: () => number = () => performance.now(),
  announce: (sid: string) => Promise<void> = () => Promise.resolve(),
): ReplacedSids {
  const until = new Map<string, number>()
  function addHere(sid: string): void {
    for (const [old, end] of until) {
      if (end > now() && until.size < maxKept) break
      until.delete(old)
    }
    until.set(sid, now() + keptMs)
  }
  return {
    addHere,
    async add(sid) {
      addHere(sid)
      await announce(sid)
    },
    has: (sid) => sid !== null && (until.get(sid) ?? 0) > now(),
  }
}
