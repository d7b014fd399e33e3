import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Log } from '#server/platform/log/log.ts'
import { runTask } from '#server/platform/log/loop-watchdog.ts'
import { requestTask } from '../request/request-task.ts'
import { maxHeaderSize, defaultConnectionLimits, type ConnectionLimits } from './connection-limits.ts'
import {
  addConnection,
  destroyWithRequests,
  followRequest,
  followUpgrade,
  openConnections,
  sweepConnections,
  type Connections,
} from './connections.ts'

type OnRequest = (request: IncomingMessage, response: ServerResponse) => void

/**
 * An HTTP server that limits connections in number, time and resources, so that many slow or half-open ones do not block
 * others. At the maximum, each new connection replaces one: the oldest without a request head or the oldest unauthenticated
 * upgrade, whichever kind has more; then idle ones; then those with an unfinished body.
 */
export function createGuardedServer(
  onRequest: OnRequest,
  log: Pick<Log, 'warn'>,
  limits: ConnectionLimits = defaultConnectionLimits(),
): Server {
  const connections = openConnections(limits)
  const server = createServer(
    {
      maxHeaderSize,
      keepAliveTimeout: 72_000,
      headersTimeout: limits.headMs,
      connectionsCheckingInterval: limits.sweepMs,
    },
    (request, response) => takeRequest(connections, onRequest, request, response),
  )
  // One more than allowed, because Node drops headers above the maximum silently.
  server.maxHeadersCount = limits.headers + 1
  server.on('connection', (socket) => addConnection(connections, socket))
  server.on('upgrade', ({ socket }) => followUpgrade(connections, socket))
  // No activity for `timeout`: fine while the response is being prepared, but not while the client does not read it.
  server.timeout = limits.stalledMs
  server.on('timeout', (socket) => {
    if (connections.idle.has(socket) || socket.writableLength > 0) socket.destroy()
  })
  const sweeping = setInterval(() => {
    const closed = sweepConnections(connections)
    if (closed === 0) return
    log.warn('There were too many connections; the oldest ones that waited for their senders were closed', {
      closed,
      most: limits.most,
    })
  }, limits.sweepMs).unref()
  server.once('close', () => clearInterval(sweeping))
  return server
}

function takeRequest(
  connections: Connections,
  onRequest: OnRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { all, limits } = connections
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
  followRequest(connections, connection, request, response)
  runTask(requestTask(request), () => onRequest(request, response))
}
