import type { DocumentEvent } from '#server/documents/types.ts'
import { rooms } from './socket-types.ts'

/** How far back changes are known, in milliseconds. */
const keptMs = 60_000
/** A client's read may have begun this much before it began to listen. */
const marginMs = 5_000

/**
 * Which rooms heard of a change lately. A screen reads and subscribes at the same time; what changed between the two has
 * no later event to make up for it, and without this every screen would have to read everything twice.
 */
export interface RecentChanges {
  note(event: DocumentEvent): void
  /** Of these rooms, the ones that changed in the last `ms` milliseconds; null when that is not known any more. */
  since(names: Iterable<string>, ms: number): string[] | null
}

/** Remembers changes from now on. `now` gives milliseconds. */
export function rememberChanges(now: () => number): RecentChanges {
  const began = now()
  // The oldest first: a room that changes again goes to the end.
  const changed = new Map<string, number>()
  const note = (room: string): void => {
    changed.delete(room)
    changed.set(room, now())
  }
  const forget = (): void => {
    for (const [room, at] of changed) {
      if (at >= now() - keptMs) return
      changed.delete(room)
    }
  }
  return {
    note({ doctype, name, organization }) {
      forget()
      note(rooms.document(doctype, name))
      if (organization !== null) note(rooms.doctype(organization, doctype))
    },
    since(names, ms) {
      const from = now() - ms
      if (!(ms >= 0) || from < Math.max(began, now() - keptMs + marginMs)) return null
      return [...names].filter((room) => (changed.get(room) ?? -Infinity) >= from - marginMs)
    },
  }
}
