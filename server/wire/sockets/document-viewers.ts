import type { Documents } from '#server/contracts/documents.ts'
import { documentOf, rooms, type SocketData, type WireNamespace, type WireSocket } from './socket-types.ts'

/** Tracks who has which document open. */
export interface DocumentViewers {
  open(socket: WireSocket, doctype: string, name: string): Promise<void>
  close(socket: WireSocket, doctype: string, name: string): Promise<void>
  /** Call it when a connection is about to end; the remaining viewers are notified afterwards. */
  leave(socket: WireSocket): void
}

const prefix = rooms.openDocument('', '').slice(0, -1)

/** An announcement of who has a document open. */
interface Announcement {
  /** The users who opened or closed it. */
  readonly actors: Set<string>
  hasStarted: boolean
  done: Promise<void>
}

/**
 * Tracks viewers as members of each document's room, in all namespaces and, with an adapter, all processes. Whoever can't read
 * the document any more when its viewers change leaves the room, unseen and unnotified.
 */
export function createDocumentViewers(
  documents: Pick<Documents, 'readers'>,
  namespaces: () => Iterable<WireNamespace>,
  failed: (error: unknown) => void,
): DocumentViewers {
  /** The last announcement of each room that is waiting or running. */
  const announcements = new Map<string, Announcement>()

  async function announce(room: string, actors: ReadonlySet<string>): Promise<void> {
    const document = documentOf(room)
    const members = (await Promise.all([...namespaces()].map((one) => one.in(room).fetchSockets()))).flat()
    if (isAlone(usersOf(members), actors)) return
    const sessions = members.map((one) => one.data.session)
    const readers = await documents.readers(sessions, document)
    const { in: staying = [], out: leaving = [] } = Object.groupBy(members, (one) =>
      readers.has(one.data.session) ? 'in' : 'out',
    )
    for (const one of leaving) one.leave(room)
    if (staying.length === 0) return
    // Those of other processes may not have left yet.
    const ids = leaving.map(({ id }) => id)
    const event = { doctype: document.doctype, docname: document.name, users: usersOf(staying) }
    for (const one of namespaces()) one.to(room).except(ids).emit('doc_viewers', event)
  }

  /**
   * Announces the viewers after an action. A room has one announcement at a time, because a slow one would replace the list of a
   * later one; actions during one are announced together after it.
   */
  function announceNext(room: string, actor: string): Promise<void> {
    const last = announcements.get(room)
    if (last && !last.hasStarted) {
      last.actors.add(actor)
      return last.done
    }
    const next: Announcement = { actors: new Set([actor]), hasStarted: false, done: Promise.resolve() }
    const run = async () => {
      await last?.done
      next.hasStarted = true
      await announce(room, next.actors).catch(failed)
      if (announcements.get(room) === next) announcements.delete(room)
    }
    announcements.set(room, next)
    next.done = run()
    return next.done
  }

  /** One after the other: a connection may have had two hundred documents open. */
  async function announceAll(left: readonly string[], actor: string): Promise<void> {
    for (const room of left) await announceNext(room, actor)
  }

  return {
    async open(socket, doctype, name) {
      const room = rooms.openDocument(doctype, name)
      await socket.join(room)
      await announceNext(room, socket.data.session.user)
    },
    async close(socket, doctype, name) {
      const room = rooms.openDocument(doctype, name)
      if (!socket.rooms.has(room)) return
      await socket.leave(room)
      await announceNext(room, socket.data.session.user)
    },
    leave(socket) {
      const left = [...socket.rooms].filter((room) => room.startsWith(prefix))
      if (left.length === 0) return
      socket.once('disconnect', (reason) => {
        // At a shutdown, the remaining viewers leave as well.
        if (reason !== 'server shutting down') void announceAll(left, socket.data.session.user)
      })
    },
  }
}

function usersOf(members: readonly { readonly data: SocketData }[]): string[] {
  return [...new Set(members.map((one) => one.data.session.user))]
}

/** The only viewer needs no event about their own actions; if others acted as well, they may have been shown as viewers. */
function isAlone(users: readonly string[], actors: ReadonlySet<string>): boolean {
  return users.length === 0 || new Set([...users, ...actors]).size === 1
}
