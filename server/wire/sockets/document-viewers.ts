import { rooms, type WireNamespace, type WireSocket } from './socket-types.ts'

/** Tracks who has which document open. */
export interface DocumentViewers {
  open(socket: WireSocket, doctype: string, name: string): Promise<void>
  close(socket: WireSocket, doctype: string, name: string): Promise<void>
  /** Call it when a connection is about to end; the remaining viewers are notified afterwards. */
  leave(socket: WireSocket): void
}

const prefix = rooms.openDocument('', '').slice(0, -1)

/** Tracks viewers as members of each document's room, in all namespaces and, with an adapter, all processes. */
export function createDocumentViewers(
  namespaces: () => Iterable<WireNamespace>,
  failed: (error: unknown) => void,
): DocumentViewers {
  async function announce(room: string, actor: string): Promise<void> {
    const [doctype = '', ...name] = room.slice(prefix.length).split('/')
    const docname = name.join('/')
    const members = await Promise.all([...namespaces()].map((one) => one.in(room).fetchSockets()))
    const users = [...new Set(members.flat().map((one) => one.data.session.user))]
    // The only viewer needs no event about their own action.
    if (users.length === 0 || (users.length === 1 && users[0] === actor)) return
    for (const one of namespaces()) one.to(room).emit('doc_viewers', { doctype, docname, users })
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
        for (const room of left) announce(room, socket.data.session.user).catch(failed)
      })
    },
  }
}
