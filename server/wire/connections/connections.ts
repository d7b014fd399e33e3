import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createChunkBudget, limitChunks, type ChunkBudget } from '#server/platform/files/chunk-limit.ts'
import { hasBody } from '#server/platform/network/has-body.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import { countUpgrades, type Upgrades } from './upgrades.ts'

/** State of one connection. */
export interface Connection {
  socket: Socket
  /** Requests without a complete response. */
  waiting: number
  /** The request whose body is being received, when it started, and how many bytes had been read then. */
  body: { request: IncomingMessage; since: number; bytes: number } | null
  /** Whether it has switched to another protocol. */
  isUpgraded: boolean
  /** For all bodies of the connection together. */
  pieces: ChunkBudget
}

/** The connections of one server. */
export interface Connections {
  readonly limits: ConnectionLimits
  readonly all: Map<Socket, Connection>
  /** Those without a request yet, oldest first. */
  readonly heads: Set<Socket>
  /** Those between requests, oldest first. */
  readonly idle: Set<Socket>
  /** Those that receive a body, oldest first. */
  readonly bodies: Set<Socket>
  /** Those that switched to another protocol and have not authenticated yet. */
  readonly upgrades: Upgrades
  /** Number of connections that were ended for others since the last check. */
  ended: number
}

/** No connections yet. */
export function openConnections(limits: ConnectionLimits): Connections {
  return {
    limits,
    all: new Map(),
    heads: new Set(),
    idle: new Set(),
    bodies: new Set(),
    upgrades: countUpgrades(limits.upgradeMs),
    ended: 0,
  }
}

/** Admits a new connection. At the maximum it replaces another one, or is closed if none can end. */
export function addConnection(connections: Connections, socket: Socket): void {
  const { all, heads, limits } = connections
  if (all.size >= limits.most) {
    connections.ended += 1
    if (!endOldest(connections)) {
      socket.destroy()
      return
    }
  }
  all.set(socket, { socket, waiting: 0, body: null, isUpgraded: false, pieces: createChunkBudget(limits.chunks) })
  heads.add(socket)
  socket.once('close', () => forget(connections, socket))
}

/** Follows a request of a connection until its body has arrived and its response is complete. */
export function followRequest(
  connections: Connections,
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { all, heads, idle } = connections
  const { socket } = connection
  idle.delete(socket)
  heads.delete(socket)
  limitChunks(request, connection.pieces, () => destroyWithRequests(socket))
  if (hasBody(request)) followBody(connections, connection, request)
  response.once('close', () => {
    connection.waiting -= 1
    const isIdle = connection.waiting === 0 && !connection.isUpgraded
    if (isIdle && !socket.destroyed && all.has(socket)) idle.add(socket)
  })
}

function followBody(connections: Connections, connection: Connection, request: IncomingMessage): void {
  const { bodies, limits } = connections
  const { socket } = connection
  connection.body = { request, since: performance.now(), bytes: socket.bytesRead }
  bodies.add(socket)
  if (bodies.size > limits.bodies) endOldestBody(connections)
  const whole = () => {
    connection.body = null
    bodies.delete(socket)
  }
  request.once('end', whole)
  request.once('close', whole)
}

/** Follows a connection that switched to another protocol, which sets its own limits once authenticated (`admitUpgraded`). */
export function followUpgrade(connections: Connections, socket: Socket): void {
  const { all, heads, idle, upgrades, limits } = connections
  const connection = all.get(socket)
  if (connection === undefined) return
  connection.isUpgraded = true
  heads.delete(socket)
  idle.delete(socket)
  upgrades.add(socket)
  const first = upgrades.size > limits.upgrades ? upgrades.first() : undefined
  if (first === undefined) return
  connections.ended += 1
  end(connections, first)
}

/** Closes connections that exceed their time, and returns how many were ended for others since the last check. */
export function sweepConnections(connections: Connections): number {
  const { all, bodies, upgrades, limits } = connections
  const now = performance.now()
  for (const socket of bodies) {
    const connection = all.get(socket)
    if (connection && isTooSlow(connection, limits.body, now)) socket.destroy()
  }
  for (const socket of upgrades.overdue()) socket.destroy()
  const { ended } = connections
  connections.ended = 0
  return ended
}

/** Only bodies that are still incomplete. */
function endOldestBody(connections: Connections): void {
  for (const socket of connections.bodies) {
    if (connections.all.get(socket)?.body?.request.complete === false) {
      connections.ended += 1
      end(connections, socket)
      return
    }
  }
}

function endOldest(connections: Connections): boolean {
  const { heads, idle, bodies, upgrades } = connections
  const inOrder = [heads, idle, bodies].find((some) => some.size > 0)
  const oldest = upgrades.size > heads.size ? upgrades.first() : inOrder?.values().next().value
  if (oldest === undefined) return false
  end(connections, oldest)
  return true
}

function end(connections: Connections, socket: Socket): void {
  destroyWithRequests(socket)
  forget(connections, socket)
}

function forget({ all, heads, idle, bodies, upgrades }: Connections, socket: Socket): void {
  all.delete(socket)
  for (const some of [heads, idle, bodies, upgrades]) some.delete(socket)
}

/**
 * Closes a connection with requests that are read but not answered, possibly a thousand of them. Node creates an error for
 * each when the socket closes, and capturing their stacks takes longer than everything else, so it is turned off.
 */
export function destroyWithRequests(socket: Socket): void {
  const limit = Error.stackTraceLimit
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => {
    Error.stackTraceLimit = limit
  })
  socket.destroy()
}

/** Whether a body arrives more slowly than any real network. */
function isTooSlow(connection: Connection, limits: ConnectionLimits['body'], now: number): boolean {
  const { body, socket } = connection
  if (body === null || body.request.complete) return false
  // The delay is ours because we do not read on, e.g. while a site wakes up.
  if (body.request.readableLength > 0) {
    connection.body = { ...body, since: now, bytes: socket.bytesRead }
    return false
  }
  return now - body.since > limits.graceMs + ((socket.bytesRead - body.bytes) / limits.bytesPerSecond) * 1000
}
