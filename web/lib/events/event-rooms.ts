/** The subset of a socket.io client that the bus uses. */
export interface SocketLike {
  readonly connected: boolean
  on(event: string, handler: (payload: never) => void): unknown
  off(event: string, handler: (payload: never) => void): unknown
  emit(event: string, ...args: unknown[]): unknown
}

/** The events, with their arguments, by which the server lets the socket join and leave a room. */
interface RoomEvents {
  readonly join: readonly [event: string, ...args: string[]]
  readonly leave: readonly [event: string, ...args: string[]]
}

interface Room extends RoomEvents {
  handlers: Set<(name: string) => void>
  /** When its first listener subscribed, which is also when the data was first read (ms since epoch). */
  since: number
}

/** The rooms one socket has joined, reference-counted: the first listener joins, the last one leaves. */
export interface EventRooms {
  readonly socket: SocketLike
  readonly now: () => number
  /** By the names the server lists changed rooms under. */
  readonly byKey: Map<string, Room>
  /** Rooms to include in the next catch-up request, each with the time from which changes count. */
  pending: Map<string, number>
  /** Number of connections that ended, so that replies to requests of an earlier one are dropped. */
  connections: number
}

let changes = 0

/** Number of changes reported to this page so far. */
export const changeCount = (): number => changes

/** Calls `handler` with the name of each changed document of a room. Returns an unsubscribe function. */
export function listenInRoom(
  rooms: EventRooms,
  key: string,
  events: RoomEvents,
  handler: (name: string) => void,
  since = rooms.now(),
): () => void {
  const { socket, byKey } = rooms
  let room = byKey.get(key)
  if (!room) {
    room = { handlers: new Set(), since, ...events }
    byKey.set(key, room)
    if (socket.connected) joinRoom(rooms, key, room, since)
  } else if (since < room.since) {
    room.since = since
    if (socket.connected) joinRoom(rooms, key, room, since)
  }
  // A separate wrapper per subscription, so that the same function can subscribe twice.
  const own = (name: string): void => handler(name)
  const joined = room
  joined.handlers.add(own)
  return () => {
    if (!joined.handlers.delete(own) || joined.handlers.size > 0) return
    byKey.delete(key)
    if (socket.connected) socket.emit(...joined.leave)
  }
}

/** Tells the listeners of a room that a document has changed. */
export function notifyRoom({ byKey }: EventRooms, key: string, name: string): void {
  changes += 1
  for (const handler of byKey.get(key)?.handlers ?? []) handler(name)
}

/** Joins all rooms on a new connection. */
export function joinAllRooms(rooms: EventRooms): void {
  // It is unknown which changes a broken connection missed, so after a reconnect everything counts as changed.
  for (const [key, room] of rooms.byKey) joinRoom(rooms, key, room, rooms.connections === 0 ? room.since : 0)
}

/** The connection has ended, and with it the requests on it. */
export function endConnection(rooms: EventRooms): void {
  rooms.pending = new Map()
  rooms.connections += 1
}

/** Asks the server which rooms changed since then (ms since epoch); null if it doesn't know. */
export function catchUp(rooms: EventRooms, since: number, onChanges: (changed: string[] | null) => void): void {
  rooms.socket.emit('catch_up', Math.min(rooms.now() - since, 1e9), onChanges)
}

/** Joins a room, then asks once for all rooms joined at the same time which of them have changed. */
function joinRoom(rooms: EventRooms, key: string, room: Room, since: number): void {
  rooms.socket.emit(...room.join)
  rooms.pending.set(key, since)
  if (rooms.pending.size > 1) return
  queueMicrotask(() => {
    const keys = rooms.pending
    if (keys.size === 0) return
    const connection = rooms.connections
    rooms.pending = new Map()
    catchUp(rooms, Math.min(...keys.values()), (changed) => {
      if (connection !== rooms.connections) return
      for (const one of keys.keys()) if (changed === null || changed.includes(one)) notifyRoom(rooms, one, '')
    })
  })
}
