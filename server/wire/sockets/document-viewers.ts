import type { Documents } from '#server/contracts/documents.ts'
import { rooms, type SocketData, type WireNamespace, type WireSocket } from './socket-types.ts'

/** Tracks who has which document open. */
export interface DocumentViewers {
  open(socket: WireSocket, doctype: string, name: string): Promise<void>
  close(socket: WireSocket, doctype: string, name: string): Promise<void>
  /** Call it when a connection is about to end; the remaining viewers are notified afterwards. */
  leave(socket: WireSocket): void
}

const prefix = rooms.openDocument('', '').slice(0, -1)

/**
 * Tracks viewers as members of each document's room, in all namespaces and, with an adapter, all processes. Whoever can't read
 * the document any more when its viewers change leaves the room, unseen and unnotified.
 */
export function createDocumentViewers(
  documents: Pick<Documents, 'readers'>,
  namespaces: () => Iterable<WireNamespace>,
  failed: (error: unknown) => void,
): DocumentViewers {
  async function announce(room: string, actor: string): Promise<void> {
    const [doctype = '', ...name] = room.slice(prefix.length).split('/')
    const docname = name.join('/')
    const members = (await Promise.all([...namespaces()].map((one) => one.in(room).fetchSockets()))).flat()
    if (isAlone(usersOf(members), actor)) return
    const sessions = members.map((one) => one.data.session)
    const readers = await documents.readers(sessions, { doctype, name: docname })
    const { in: staying = [], out: leaving = [] } = Object.groupBy(members, (one) =>
      readers.has(one.data.session) ? 'in' : 'out',
    )
    for (const one of leaving) one.leave(room)
    const users = usersOf(staying)
    if (isAlone(users, actor)) return
    // Those of other processes may not have left yet.
    const ids = leaving.map(({ id }) => id)
    for (const one of namespaces()) one.to(room).except(ids).emit('doc_viewers', { doctype, docname, users })
  }

  /** One after the other: a connection may have had two hundred documents open. */
  async function announceAll(left: readonly string[], actor: string): Promise<void> {
    for (const room of left) await announce(room, actor).catch(failed)
  }

  return {
    async open(socket, doctype, name) {
      const room = rooms.openDocument(doctype, name)
      await socket.join(room)
      await announce(room, socket.data.session.user)
    },
    async close(socket, doctype, name) {
      const room = rooms.openDocument(doctype, name)
      if (!socket.rooms.has(room)) return
      await socket.leave(room)
      await announce(room, socket.data.session.user)
    },
    leave(socket) {
      const left = [...socket.rooms].filter((room) => room.startsWith(prefix))
      if (left.length === 0) return
      socket.once('disconnect', () => {
        void announceAll(left, socket.data.session.user)
      })
    },
  }
}

function usersOf(members: readonly { readonly data: SocketData }[]): string[] {
  return [...new Set(members.map((one) => one.data.session.user))]
}

/** The only viewer needs no event about their own action. */
function isAlone(users: readonly string[], actor: string): boolean {
  return users.length === 0 || (users.length === 1 && users[0] === actor)
}
