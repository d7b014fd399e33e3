import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { rooms } from './socket-types.ts'

/** How far back changes are known, in milliseconds. */
const keptMs = 60_000
/** A client's read may have begun this much before it began to listen. */
const marginMs = 5_000

/** Most documents of one list that are remembered by name. */
const mostDocuments = 50

/**
 * Which rooms heard of a change lately. A screen reads and subscribes at the same time; what changed between the two has
 * no later event to make up for it, and without this every screen would have to read everything twice.
 */
export interface RecentChanges {
  note(event: DocumentEvent): void
  /** The user's permissions changed; recorded as a change of the user's own room. */
  noteRights(user: string): void
  /** Events may have been missed: nothing is known about the time before. */
  lost(): void
  /** Of these rooms, the ones that changed for the user in the last `ms` milliseconds; null: not known any more. */
  since(names: Iterable<string>, ms: number, user: string): string[] | null
  /**
   * Documents of a list's room that changed in the last `ms` milliseconds; null: more than are remembered, or the list
   * is another for the user alone.
   */
  documentsIn(room: string, ms: number, user: string): string[] | null
}

/** Remembers changes from now on. `now` gives milliseconds. */
export function rememberChanges(now: () => number): RecentChanges {
  let began = now()
  // The oldest first: a room that changes again goes to the end.
  const changed = new Map<string, number>()
  const note = (room: string): void => {
    changed.delete(room)
    changed.set(room, now())
  }
  /** By room of a list: its documents and when they changed last; null for too many. */
  const documents = new Map<string, Map<string, number> | null>()
  const noteIn = (room: string, name: string): void => {
    note(room)
    const known = documents.get(room)
    if (known === null) return
    const names = known ?? new Map<string, number>()
    for (const [other, at] of names) if (at < now() - keptMs) names.delete(other)
    names.set(name, now())
    documents.set(room, names.size > mostDocuments ? null : names)
  }
  const forget = (): void => {
    for (const [room, at] of changed) {
      if (at >= now() - keptMs) return
      changed.delete(room)
      documents.delete(room)
    }
  }
  return {
    note({ doctype, name, organization, only }) {
      forget()
      const key = (room: string) => (only === undefined ? room : forOne(only, room))
      note(key(rooms.document(doctype, name)))
      if (organization === null) return
      if (only === undefined) noteIn(rooms.doctype(organization, doctype), name)
      else note(key(rooms.doctype(organization, doctype)))
    },
    noteRights(user) {
      forget()
      note(rooms.user(user))
    },
    lost() {
      changed.clear()
      documents.clear()
      began = now()
    },
    since(names, ms, user) {
      const from = now() - ms
      if (!(ms >= 0) || from < Math.max(began, now() - keptMs + marginMs)) return null
      const isChanged = (room: string) => (changed.get(room) ?? -Infinity) >= from - marginMs
      return [...names].filter((room) => isChanged(room) || isChanged(forOne(user, room)))
    },
    documentsIn(room, ms, user) {
      const from = now() - ms - marginMs
      if ((changed.get(forOne(user, room)) ?? -Infinity) >= from) return null
      const names = documents.get(room)
      return names ? [...names].flatMap(([name, at]) => (at >= from ? [name] : [])) : null
    },
  }
}

/** A room as it changed for one person; no name has a line break. */
const forOne = (user: string, room: string): string => `${user}\n${room}`
