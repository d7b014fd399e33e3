import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server } from 'socket.io'
import { clientReader } from '../request/client-address.ts'
import type { WireOptions } from '../options.ts'
import { rejectUpgrade } from '../connections/upgrades.ts'
import { createAdmission } from './admission.ts'
import { clusterAdapter } from './cluster.ts'
import { limitFrames } from './limit-frames.ts'
import { socketIdOf } from '../processes/web-links.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { createEventQueue } from './document-events.ts'
import { createDocumentViewers } from './document-viewers.ts'
import { rememberChanges } from './recent-changes.ts'
import type { SocketContext } from './socket-context.ts'
import { sendDocumentEvents } from './socket-events.ts'
import { answerHandshake, takeSlot } from './socket-handshake.ts'
import { openNamespace } from './socket-namespace.ts'
import { applyRevocation, endOrganization } from './socket-sessions.ts'
import { rooms, type WireIo, type WireNamespace, type WireSocket } from './socket-types.ts'

/** Path prefix of socket.io. */
export const socketPath = '/socket.io/'

/** The socket part of the wire layer. It opens no port itself: requests are passed to it. */
export interface SocketServer {
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  emitToUser(user: string, event: string, payload: unknown): void
  close(): Promise<void>
}

/** Creates the socket server with Frappe's rooms and events, fed by the document store. */
export async function createSocketServer(options: WireOptions, now: () => number = Date.now): Promise<SocketServer> {
  const { documents, sessions, log } = options
  const adapter = options.clusterPool ? await clusterAdapter(options.clusterPool, log) : null
  // socket.io expects to own a server; ours is shared with other protocols, so it gets one that never listens.
  const listener = createServer()
  const io = openIo(listener, (request, done) => answerHandshake(context, request, done))
  const context = openContext(options, io, now)
  const { namespaces, failed } = context
  const { web } = options
  // Requests of a connection that arrive elsewhere are passed on to the process of its id.
  if (web) {
    const newId = io.engine.generateId
    io.engine.generateId = (request) => socketIdOf(web.links.own, String(newId(request)))
  }
  limitFrames((io.engine as unknown as { ws: Parameters<typeof limitFrames>[0] }).ws, now)
  io.engine.on('connection', (connection: WireSocket['conn']) => takeSlot(context, connection))
  if (adapter !== null) io.adapter(adapter)
  const queue = createEventQueue({
    documents,
    namespaces: () => namespaces,
    lost: (organization) => endOrganization(context, organization),
    failed,
  })
  // The library opens the root namespace for everyone.
  io.use((_socket, next) => next(new Error('Invalid namespace')))
  for (const name of context.admission.names()) openNamespace(context, name)
  const stopEvents = sendDocumentEvents(context, queue)
  const stopRevocations = sessions.onRevoked((revoked) => applyRevocation(context, revoked))

  return {
    handleRequest: (request, response) => void listener.emit('request', request, response),
    handleUpgrade(request, socket, head) {
      const query = new URLSearchParams(request.url?.split('?')[1])
      // The library would open a websocket for any other transport just to close it.
      if (query.getAll('transport').at(-1) === 'websocket') listener.emit('upgrade', request, socket, head)
      else rejectUpgrade(socket, '400 Bad Request')
    },
    emitToUser(user, event, payload) {
      // Sent after all earlier events.
      queue.after(() => {
        for (const namespace of namespaces) namespace.to(rooms.user(user)).emit(event, payload)
      })
    },
    async close() {
      stopEvents()
      stopRevocations()
      io.disconnectSockets(true)
      await io.close()
    },
  }
}

/** Opens socket.io; `allowRequest` answers handshakes. */
function openIo(
  listener: HttpServer,
  allowRequest: (request: IncomingMessage, done: (error: string | null, allowed: boolean) => void) => void,
): WireIo {
  return new Server(listener, {
    path: socketPath,
    serveClient: false,
    maxHttpBufferSize: 64 * 1024,
    connectTimeout: 10_000,
    cors: { origin: false },
    allowRequest,
  })
}

function openContext(options: WireOptions, io: WireIo, now: () => number): SocketContext {
  const { documents, sessions, log, config, streams } = options
  const readClient = clientReader(config.trustedProxies)
  const failed = (error: unknown) => log.error('A socket event failed', { error })
  const namespaces = new Set<WireNamespace>()
  return {
    documents,
    sessions,
    log,
    streams,
    io,
    admission: createAdmission({ sessions, readClient, url: config.url, now }),
    slots: createConnectionSlots(options.web?.links.count),
    viewers: createDocumentViewers(documents, () => namespaces, failed),
    changes: rememberChanges(now),
    namespaces,
    users: new WeakMap(),
    revocations: 0,
    lookedUp: new WeakMap(),
    readClient,
    failed,
    now,
  }
}
