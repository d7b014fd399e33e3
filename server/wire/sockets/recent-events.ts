/** How long an event counts as one that a new subscriber may have missed: a slow first read, and the client's own cache. */
const recentMs = 10_000

/** The last event of each room that had one a moment ago. */
export interface RecentEvents {
  /** Keeps what was just sent to a room. */
  note(room: string, event: string, payload: unknown): void
  /** What was sent to a room last, null when that was long ago. */
  of(room: string): { event: string; payload: unknown } | null
}

/**
 * Remembers events for a few seconds. A client reads a document and subscribes to it at the same time; what changes after
 * the one and before the other would never reach it, and the end of a short job has no later event to make up for it.
 */
export function createRecentEvents(now: () => number): RecentEvents {
  const rooms = new Map<string, { event: string; payload: unknown; at: number }>()
  const forget = () => {
    for (const [room, { at }] of rooms) {
      if (now() - at < recentMs) return
      rooms.delete(room)
    }
  }
  return {
    note(room, event, payload) {
      // At the end again, so that the oldest is always the first.
      rooms.delete(room)
      rooms.set(room, { event, payload, at: now() })
      forget()
    },
    of(room) {
      forget()
      return rooms.get(room) ?? null
    },
  }
}
