import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { rooms } from './socket-types.ts'

/** How long changes are remembered, in milliseconds. */
const retentionMs = 60_000
/** A client's read may have started this long before it subscribed. */
const marginMs = 5_000

/** Maximum number of documents remembered by name per list. */
const maxDocuments = 50

/**
 * Remembers which rooms had recent changes. A screen reads and subscribes at the same time; a change in between triggers no
 * later event, so without this every screen would have to read everything twice.
 */
export interface RecentChanges {
  note(event: DocumentEvent): void
  /** The user's permissions changed; recorded as a change of the user's own room. */
  recordRightsChange(user: string): void
  /** Events may have been missed: earlier changes are unknown. */
  lost(): void
  /** The given rooms that changed for the user in the last `ms` milliseconds; null if unknown. */
  since(names: Iterable<string>, ms: number, user: string): string[] | null
  /**
   * Documents of a list room that changed in the last `ms` milliseconds; null if there are more than are remembered, or the
   * list changed for this user only.
   */
  documentsIn(room: string, ms: number, user: string): string[] | null
}

/** The documents of a list that changed last. */
interface ListChanges {
  /** Names with the time of the last change, oldest first. */
  readonly names: Map<string, number>
  /** The last change of a document that isn't remembered any more, because others came after it. */
  droppedAt: number
}

/** Starts remembering changes. `now` returns milliseconds. */
export function rememberChanges(now: () => number): RecentChanges {
  let began = now()
  // Oldest first: a room that changes again moves to the end.
  const changed = new Map<string, number>()
  const note = (room: string): void => {
    changed.delete(room)
    changed.set(room, now())
  }
  /** Changed documents by list room. */
  const documents = new Map<string, ListChanges>()
  const recordIn = (room: string, name: string): void => {
    note(room)
    const list = documents.get(room) ?? { names: new Map(), droppedAt: -Infinity }
    documents.set(room, list)
    list.names.delete(name)
    list.names.set(name, now())
    for (const [oldest, at] of list.names) {
      if (list.names.size <= maxDocuments) break
      list.names.delete(oldest)
      list.droppedAt = at
    }
  }
  const forget = (): void => {
    for (const [room, at] of changed) {
      if (at >= now() - retentionMs) return
      changed.delete(room)
      documents.delete(room)
    }
  }
  return {
    note({ doctype, name, organization, only, of_user }) {
      forget()
      const key = (room: string) => (only === undefined ? room : forOne(only, room))
      const list = rooms.doctype(organization, doctype)
      note(key(rooms.document(doctype, name)))
      if (only === undefined) recordIn(list, name)
      else note(key(list))
      // Whose row it was cannot be looked up later.
      if (of_user !== undefined) note(forOne(of_user, list))
    },
    recordRightsChange(user) {
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
      if (!(ms >= 0) || from < Math.max(began, now() - retentionMs + marginMs)) return null
      const isChanged = (room: string) => (changed.get(room) ?? -Infinity) >= from - marginMs
      return [...names].filter((room) => isChanged(room) || isChanged(forOne(user, room)))
    },
    documentsIn(room, ms, user) {
      const from = now() - ms - marginMs
      if ((changed.get(forOne(user, room)) ?? -Infinity) >= from) return null
      const list = documents.get(room)
      if (!list || list.droppedAt >= from) return null
      return [...list.names].flatMap(([name, at]) => (at >= from ? [name] : []))
    },
  }
}

/** Key of a room's changes for one user; names contain no line breaks. */
const forOne = (user: string, room: string): string => `${user}\n${room}`
