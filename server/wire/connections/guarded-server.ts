import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody } from '#server/platform/network/has-body.ts'
import type { Log } from '#server/platform/log/log.ts'
import { runTask } from '#server/platform/log/loop-watchdog.ts'
import { createPieceBudget, limitPieces, type PieceBudget, type PieceLimits } from '#server/platform/files/pieces.ts'
import { requestTask } from '../request/request-task.ts'
import { countUpgrades } from './upgrades.ts'

/** Limits for one connection and for all connections. */
export interface ConnectionLimits {
  /** Maximum number of connections. */
  readonly most: number
  /** Milliseconds for the request head, from the connection or the first byte. */
  readonly headMs: number
  /**
   * A body may take `graceMs`, plus one second per `bytesPerSecond` received. Anything slower holds connections on purpose
   * rather than having a slow network (Apache's mod_reqtimeout uses 20 s and 500 bytes).
   */
  readonly body: { readonly graceMs: number; readonly bytesPerSecond: number }
  /** Limits for how finely bodies may be split. */
  readonly pieces: PieceLimits
  /** Milliseconds without progress after which a client that does not read its response is disconnected. */
  readonly stalledMs: number
  /** Milliseconds for an upgraded connection to authenticate; socket handshakes have their own limit of ten seconds. */
  readonly upgradeMs: number
  /** Maximum number of unauthenticated upgraded connections. */
  readonly upgrades: number
  /** Maximum number of pipelined requests per connection; browsers do not pipeline. */
  readonly pipelined: number
  /** Maximum number of connections with an unfinished body, each of which holds a request. */
  readonly bodies: number
  /** Maximum number of header lines per request. */
  readonly headers: number
  /** Milliseconds between two checks of all connections. */
  readonly sweepMs: number
}

/** Maximum size of a request head in bytes: lists with many filters are long URLs. */
export const maxHeaderSize = 32 * 1024

/** Each connection is an open file: half of the system's limit is left for the database, sites and files. */
function mostConnections(): number {
  return Math.min(10_000, Math.floor(openFiles() / 2))
}

/** Maximum number of open files of this process. Node raises the soft limit to the hard one at startup. */
function openFiles(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    // Not Linux: macOS allows at least 10240.
    return 10_240
  }
}

/** Default limits of the public port. */
export const usualLimits = (): ConnectionLimits => ({
  most: mostConnections(),
  headMs: 15_000,
  body: { graceMs: 20_000, bytesPerSecond: 500 },
  pieces: { burst: 250, perSecond: 250, bytes: 512 },
  stalledMs: 60_000,
  upgradeMs: 20_000,
  upgrades: 2000,
  pipelined: 8,
  bodies: 500,
  headers: 200,
  sweepMs: 5000,
})

/** State of one connection. */
interface Connection {
  socket: Socket
  /** Requests without a complete response. */
  waiting: number
  /** The request whose body is being received, when it started, and how many bytes had been read then. */
  body: { request: IncomingMessage; since: number; bytes: number } | null
  /** Whether it has switched to another protocol. */
  isUpgraded: boolean
  /** For all bodies of the connection together. */
  pieces: PieceBudget
}

/**
 * An HTTP server that limits connections in number, time and resources, so that many slow or half-open ones do not block
 * others. At the maximum, each new connection replaces one: the oldest without a request head or the oldest unauthenticated
 * upgrade, whichever kind has more; then idle ones; then those with an unfinished body.
 */
export function createGuardedServer(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  log: Pick<Log, 'warn'>,
  limits: ConnectionLimits = usualLimits(),
): Server {
  const all = new Map<Socket, Connection>()
  /** Ordered by age: without a request yet, idle between requests, and receiving a body. */
  const heads = new Set<Socket>()
  const idle = new Set<Socket>()
  const bodies = new Set<Socket>()
  const upgrades = countUpgrades(limits.upgradeMs)
  let ended = 0

  const server = createServer(
    {
      maxHeaderSize,
      keepAliveTimeout: 72_000,
      headersTimeout: limits.headMs,
      connectionsCheckingInterval: limits.sweepMs,
    },
    (request, response) => {
      const connection = all.get(request.socket)
      // The parser still reads what was sent after the request that closed the connection.
      if (connection === undefined || request.socket.destroyed) return
      if (request.rawHeaders.length / 2 > limits.headers) {
        response.writeHead(431, { connection: 'close' }).end()
        return
      }
      connection.waiting += 1
      if (connection.waiting > limits.pipelined) {
        destroyWithRequests(request.socket)
        return
      }
      follow(connection, request, response)
      runTask(requestTask(request), () => onRequest(request, response))
    },
  )
  // One more than allowed, because Node drops headers above the maximum silently.
  server.maxHeadersCount = limits.headers + 1

  function follow(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = connection
    idle.delete(socket)
    heads.delete(socket)
    limitPieces(request, connection.pieces, () => destroyWithRequests(socket))
    if (hasBody(request)) {
      connection.body = { request, since: performance.now(), bytes: socket.bytesRead }
      bodies.add(socket)
      if (bodies.size > limits.bodies) endOldestBody()
      const whole = () => {
        connection.body = null
        bodies.delete(socket)
      }
      request.once('end', whole)
      request.once('close', whole)
    }
    response.once('close', () => {
      connection.waiting -= 1
      const isIdle = connection.waiting === 0 && !connection.isUpgraded
      if (isIdle && !socket.destroyed && all.has(socket)) idle.add(socket)
    })
  }

  /** Only bodies that are still incomplete. */
  function endOldestBody(): void {
    for (const socket of bodies) {
      if (all.get(socket)?.body?.request.complete === false) {
        ended += 1
        end(socket)
        return
      }
    }
  }

  function endOldest(): boolean {
    const inOrder = [heads, idle, bodies].find((some) => some.size > 0)
    const oldest = upgrades.size > heads.size ? upgrades.first() : inOrder?.values().next().value
    if (oldest === undefined) return false
    end(oldest)
    return true
  }

  function end(socket: Socket): void {
    destroyWithRequests(socket)
    forget(socket)
  }

  function forget(socket: Socket): void {
    all.delete(socket)
    for (const some of [heads, idle, bodies, upgrades]) some.delete(socket)
  }

  server.on('connection', (socket) => {
    if (all.size >= limits.most) {
      ended += 1
      if (!endOldest()) {
        socket.destroy()
        return
      }
    }
    all.set(socket, { socket, waiting: 0, body: null, isUpgraded: false, pieces: createPieceBudget(limits.pieces) })
    heads.add(socket)
    socket.once('close', () => forget(socket))
  })
  // It now speaks another protocol, which sets its own limits once authenticated (`admitUpgraded`).
  server.on('upgrade', ({ socket }) => {
    const connection = all.get(socket)
    if (connection === undefined) return
    connection.isUpgraded = true
    heads.delete(socket)
    idle.delete(socket)
    upgrades.add(socket)
    const first = upgrades.size > limits.upgrades ? upgrades.first() : undefined
    if (first === undefined) return
    ended += 1
    end(first)
  })

  function sweep(): void {
    const now = performance.now()
    for (const socket of bodies) {
      const connection = all.get(socket)
      if (connection && isTooSlow(connection, limits.body, now)) socket.destroy()
    }
    for (const socket of upgrades.overdue()) socket.destroy()
    if (ended === 0) return
    log.warn('There were too many connections; the oldest ones that waited for their senders were closed', {
      closed: ended,
      most: limits.most,
    })
    ended = 0
  }
  // No activity for `timeout`: fine while the response is being prepared, but not while the client does not read it.
  server.timeout = limits.stalledMs
  server.on('timeout', (socket) => {
    if (idle.has(socket) || socket.writableLength > 0) socket.destroy()
  })
  const sweeping = setInterval(sweep, limits.sweepMs).unref()
  server.once('close', () => clearInterval(sweeping))
  return server
}

/**
 * Closes a connection with requests that are read but not answered, possibly a thousand of them. Node creates an error for
 * each when the socket closes, and capturing their stacks takes longer than everything else, so it is turned off.
 */
function destroyWithRequests(socket: Socket): void {
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
