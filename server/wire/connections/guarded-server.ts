import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody } from '#server/platform/network/has-body.ts'
import type { Log } from '#server/platform/log/log.ts'
import { runTask } from '#server/platform/log/loop-watchdog.ts'
import { createPieceBudget, limitPieces, type PieceBudget, type PieceLimits } from '#server/platform/files/pieces.ts'
import { requestTask } from '../request/request-task.ts'
import { countUpgrades } from './upgrades.ts'

/** What one connection, and all of them together, may take. */
export interface ConnectionLimits {
  /** Connections at once. */
  readonly most: number
  /** Milliseconds for the head of a request, from its first byte or from the connection on. */
  readonly headMs: number
  /**
   * A body may take `graceMs` and a second more for each `bytesPerSecond` of it: less than that is somebody who holds
   * connections, not a slow line (Apache's mod_reqtimeout takes 20 s and 500 bytes).
   */
  readonly body: { readonly graceMs: number; readonly bytesPerSecond: number }
  /** How finely its bodies may be cut up. */
  readonly pieces: PieceLimits
  /** Milliseconds without any progress after which a reader of an answer is given up. */
  readonly stalledMs: number
  /** Milliseconds for an upgraded connection to show whose it is; handshakes of sockets have ten seconds of their own. */
  readonly upgradeMs: number
  /** Upgraded connections that are nobody's yet: all of them may break off at once. */
  readonly upgrades: number
  /** Requests of one connection that wait for their answers; browsers send one after the other. */
  readonly pipelined: number
  /** Connections in the middle of a body: each holds a request, and all of them may break off at once. */
  readonly bodies: number
  /** Lines of a request's head. */
  readonly headers: number
  /** Milliseconds between two looks at all connections. */
  readonly sweepMs: number
}

/** Longest head of a request in bytes: lists with many filters travel in the address. */
export const maxHeaderSize = 32 * 1024

/** Each connection is an open file: half of what the system gives stays for the database, sites and files. */
function mostConnections(): number {
  return Math.min(10_000, Math.floor(openFiles() / 2))
}

/** How many files this process may have open. Node raises the limit to the hard one when it starts. */
function openFiles(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    // Not Linux: macOS gives 10240 at least.
    return 10_240
  }
}

/** Limits of a program's port. */
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

/** What is known of one connection. */
interface Connection {
  socket: Socket
  /** Requests that are not answered yet. */
  waiting: number
  /** The request whose body is on its way, since when, and how many bytes had been read then. */
  body: { request: IncomingMessage; since: number; bytes: number } | null
  /** It speaks another protocol by now. */
  isUpgraded: boolean
  /** Of all its bodies together. */
  pieces: PieceBudget
}

/**
 * An HTTP server whose connections are bounded in number, time and what each may have open, so that many of them, half
 * open or slow, leave room for others. When there are too many, one goes for each that comes: the oldest of those that
 * have not sent the head of a request, or of those that were upgraded and are nobody's yet, whichever are more; then of
 * those between two requests, then of those whose body is on its way.
 */
export function createGuardedServer(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  log: Pick<Log, 'warn'>,
  limits: ConnectionLimits = usualLimits(),
): Server {
  const all = new Map<Socket, Connection>()
  /** By age: without a request yet, between two requests, and in the middle of a body. */
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
      // What was sent behind the request that ended the connection is read to its end by the parser all the same.
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
  // One more than is allowed, so that too many can be told from just enough: Node leaves out what is above.
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

  /** Of the bodies of which something is still missing. */
  function endOldestBody(): void {
    for (const socket of bodies) {
      if (all.get(socket)?.body?.request.complete === false) {
        ended += 1
        end(socket)
        return
      }
    }
  }

  function makeRoom(): boolean {
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
      if (!makeRoom()) {
        socket.destroy()
        return
      }
    }
    all.set(socket, { socket, waiting: 0, body: null, isUpgraded: false, pieces: createPieceBudget(limits.pieces) })
    heads.add(socket)
    socket.once('close', () => forget(socket))
  })
  // From here on it speaks another protocol, with rules of its own once it is somebody's (`admitUpgraded`).
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
  // Nothing happened for `timeout`: fine while somebody works on the answer, not while it waits to be taken.
  server.timeout = limits.stalledMs
  server.on('timeout', (socket) => {
    if (idle.has(socket) || socket.writableLength > 0) socket.destroy()
  })
  const sweeping = setInterval(sweep, limits.sweepMs).unref()
  server.once('close', () => clearInterval(sweeping))
  return server
}

/**
 * Closes a connection with requests that are read and not answered, a thousand of them perhaps, or one of each of a
 * thousand connections. Node makes an error for each when its socket closes; capturing their stacks takes longer than
 * everything else about them.
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

/** Whether a body arrives slower than over anybody's line. */
function isTooSlow(connection: Connection, limits: ConnectionLimits['body'], now: number): boolean {
  const { body, socket } = connection
  if (body === null || body.request.complete) return false
  // It is we who do not read on, e.g. while a site wakes up.
  if (body.request.readableLength > 0) {
    connection.body = { ...body, since: now, bytes: socket.bytesRead }
    return false
  }
  return now - body.since > limits.graceMs + ((socket.bytesRead - body.bytes) / limits.bytesPerSecond) * 1000
}
