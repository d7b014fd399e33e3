/** The subset of a socket.io client that the bus uses. */
export interface SocketLike {
  readonly connected: boolean
  on(event: string, handler: (payload: never) => void): unknown
  off(event: string, handler: (payload: never) => void): unknown
  emit(event: string, ...args: unknown[]): unknown
}

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

interface Room {
  handlers: Set<(name: string) => void>
  /** When its first listener subscribed, which is also when the data was first read (ms since epoch). */
  since: number
  join: [event: string, ...args: string[]]
  leave: [event: string, ...args: string[]]
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
  const rooms = new Map<string, Room>()
  const connectionHandlers = new Set<() => void>()
  /** Rooms to include in the next catch-up request, each with the time from which changes count. */
  let asked = new Map<string, number>()
  /** Identifies the connection, so that replies to requests of an earlier one are dropped. */
  let connections = 0
  let up = socket.connected
  /** Whether there was a connection before. live-changes.tsx handles reconnects. */
  let met = up

  const join = (key: string, room: Pick<Room, 'join'>, since: number): void => {
    socket.emit(...room.join)
    asked.set(key, since)
    if (asked.size > 1) return
    queueMicrotask(() => {
      if (asked.size === 0) return
      const keys = asked
      const connection = connections
      asked = new Map()
      catchUp(Math.min(...keys.values()), (changed) => {
        if (connection !== connections) return
        for (const key of keys.keys()) if (changed === null || changed.includes(key)) emit(key, '')
      })
    })
  }
  /** Asks the server which rooms changed since then (ms since epoch). */
  const catchUp = (since: number, answered: (changed: string[] | null) => void): void => {
    socket.emit('catch_up', Math.min(now() - since, 1e9), answered)
  }

  const emit = (key: string, name: string): void => {
    changes += 1
    for (const handler of rooms.get(key)?.handlers ?? []) handler(name)
  }
  const onDocUpdate = (payload: { doctype: string; name: string }): void =>
    emit(`doc:${payload.doctype}/${payload.name}`, payload.name)
  const onListUpdate = (payload: { doctype: string; name: string }): void =>
    emit(`doctype:${payload.doctype}`, payload.name)
  const connection = (next: boolean): void => {
    if (up === next) return
    up = next
    for (const handler of connectionHandlers) handler()
  }
  const onConnect = (): void => {
    connection(true)
    // It is unknown which changes a broken connection missed, so after a reconnect everything counts as changed.
    for (const [key, room] of rooms) join(key, room, connections === 0 ? room.since : 0)
    if (met) return
    met = true
    catchUp(rights.since, (changed) => {
      if (changed === null || changed.some((room) => room.startsWith(ownRoom))) rights.changed()
    })
  }
  const onDisconnect = (): void => {
    asked = new Map()
    connections += 1
    connection(false)
  }

  socket.on('doc_update', onDocUpdate)
  socket.on('list_update', onListUpdate)
  socket.on('connect', onConnect)
  socket.on('disconnect', onDisconnect)
  socket.on('connect_error', onDisconnect)

  const listen = (
    key: string,
    makeRoom: () => Pick<Room, 'join' | 'leave'>,
    handler: (name: string) => void,
    since = now(),
  ): (() => void) => {
    let room = rooms.get(key)
    if (!room) {
      room = { handlers: new Set(), since, ...makeRoom() }
      rooms.set(key, room)
      if (socket.connected) join(key, room, since)
    } else if (since < room.since) {
      room.since = since
      if (socket.connected) join(key, room, since)
    }
    // A separate wrapper per subscription, so that the same function can subscribe twice.
    const own = (name: string): void => handler(name)
    const joined = room
    joined.handlers.add(own)
    return () => {
      if (!joined.handlers.delete(own) || joined.handlers.size > 0) return
      rooms.delete(key)
      if (socket.connected) socket.emit(...joined.leave)
    }
  }

  return {
    onDoc: (doctype, name, handler, since) =>
      listen(
        `doc:${doctype}/${name}`,
        () => ({ join: ['doc_subscribe', doctype, name], leave: ['doc_unsubscribe', doctype, name] }),
        handler,
        since,
      ),
    onList: (doctype, handler, since) =>
      listen(
        `doctype:${doctype}`,
        () => ({ join: ['doctype_subscribe', doctype], leave: ['doctype_unsubscribe', doctype] }),
        handler,
        since,
      ),
    connected: () => up,
    onConnection: (handler) => {
      connectionHandlers.add(handler)
      return () => connectionHandlers.delete(handler)
    },
    close: () => {
      socket.off('doc_update', onDocUpdate)
      socket.off('list_update', onListUpdate)
      socket.off('connect', onConnect)
      socket.off('disconnect', onDisconnect)
      socket.off('connect_error', onDisconnect)
      rooms.clear()
      connectionHandlers.clear()
    },
  }
}

let changes = 0

/** Number of changes reported to this page so far. */
export const changeCount = (): number => changes

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
