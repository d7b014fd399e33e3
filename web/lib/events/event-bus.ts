import {
  catchUp,
  endConnection,
  joinAllRooms,
  listenInRoom,
  notifyRoom,
  type EventRooms,
  type SocketLike,
} from './event-rooms.ts'

/** Live document changes over one socket. */
export interface EventBus {
  /**
   * Calls `handler` after each save of the document. Returns an unsubscribe function. `since`: when the document was first
   * read (ms since epoch), if earlier than now.
   */
  onDoc(doctype: string, name: string, handler: () => void, since?: number): () => void
  /** Calls `handler` with the document's name after each insert, save or delete in the doctype. `since` as above. */
  onList(doctype: string, handler: (name: string) => void, since?: number): () => void
  /** Whether live changes arrive. If not, callers poll. */
  connected(): boolean
  /** Calls `handler` when `connected` changes. */
  onConnection(handler: () => void): () => void
  close(): void
}

/** What to do if the user's permissions changed between `since` (ms since epoch) and the first connection. */
export interface RightsWatch {
  since: number
  changed: () => void
}

/** Prefix of the user's private room. */
const ownRoom = 'user:'

/**
 * Fans out one socket's events. Rooms are reference-counted: the first listener joins, the last one leaves. After a
 * reconnect, every room is rejoined and every listener is notified, because changes may have been missed. Changes between a
 * screen's first read and its subscription send no later event, so the bus asks the server after joining which rooms changed
 * since then. The server lists them or says that it doesn't know. A change in the user's private room also counts as a
 * change of permissions: the server disconnects a user who loses permissions, but a page that wasn't connected yet would
 * never find out.
 */
export function createEventBus(socket: SocketLike, rights: RightsWatch, now: () => number = Date.now): EventBus {
  const rooms: EventRooms = { socket, now, byKey: new Map(), pending: new Map(), connections: 0 }
  const connectionHandlers = new Set<() => void>()
  let up = socket.connected
  /** Whether there was a connection before. live-changes.tsx handles reconnects. */
  let wasConnected = up

  const connection = (next: boolean): void => {
    if (up === next) return
    up = next
    for (const handler of connectionHandlers) handler()
  }
  const onConnect = (): void => {
    connection(true)
    joinAllRooms(rooms)
    if (wasConnected) return
    wasConnected = true
    catchUp(rooms, rights.since, (changed) => {
      if (changed === null || changed.some((room) => room.startsWith(ownRoom))) rights.changed()
    })
  }
  const onDisconnect = (): void => {
    endConnection(rooms)
    connection(false)
  }
  const handlers: readonly [event: string, handler: (payload: { doctype: string; name: string }) => void][] = [
    ['doc_update', ({ doctype, name }) => notifyRoom(rooms, `doc:${doctype}/${name}`, name)],
    ['list_update', ({ doctype, name }) => notifyRoom(rooms, `doctype:${doctype}`, name)],
    ['connect', onConnect],
    ['disconnect', onDisconnect],
    ['connect_error', onDisconnect],
  ]
  for (const [event, handler] of handlers) socket.on(event, handler)

  return {
    onDoc(doctype, name, handler, since) {
      const events = { join: ['doc_subscribe', doctype, name], leave: ['doc_unsubscribe', doctype, name] } as const
      return listenInRoom(rooms, `doc:${doctype}/${name}`, events, handler, since)
    },
    onList(doctype, handler, since) {
      const events = { join: ['doctype_subscribe', doctype], leave: ['doctype_unsubscribe', doctype] } as const
      return listenInRoom(rooms, `doctype:${doctype}`, events, handler, since)
    },
    connected: () => up,
    onConnection: (handler) => {
      connectionHandlers.add(handler)
      return () => connectionHandlers.delete(handler)
    },
    close: () => {
      for (const [event, handler] of handlers) socket.off(event, handler)
      rooms.byKey.clear()
      connectionHandlers.clear()
    },
  }
}

/** Runs `work` immediately, then at most every `ms` while calls keep coming. The last call always runs. */
export function throttled(work: () => void, ms: number): { run: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | null = null
  let again = false
  const run = (): void => {
    if (timer) {
      again = true
      return
    }
    work()
    timer = setTimeout(() => {
      timer = null
      if (again) {
        again = false
        run()
      }
    }, ms)
  }
  const cancel = (): void => {
    if (timer) clearTimeout(timer)
    timer = null
    again = false
  }
  return { run, cancel }
}
