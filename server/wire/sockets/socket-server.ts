import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server } from 'socket.io'
import type { Session } from '#server/contracts/session.ts'
import { identify } from '../request/authenticate.ts'
import { clientReader } from '../request/client-address.ts'
import type { WireOptions } from '../options.ts'
import { refuseUpgrade } from '../connections/upgrades.ts'
import { createAdmission, hasCredentials } from './admission.ts'
import { clusterAdapter } from './cluster.ts'
import { endConnection } from './end-connection.ts'
import { announceProgress } from './job-progress.ts'
import { keepConnection } from './keep-connection.ts'
import { isPersonal, sendToPerson } from './personal-events.ts'
import { limitFrames } from './limit-frames.ts'
import { limitPackets } from './limit-packets.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { createEventQueue } from './document-events.ts'
import { createDocumentViewers } from './document-viewers.ts'
import { rememberChanges } from './recent-changes.ts'
import { rooms, type SocketData, type WireIo, type WireNamespace, type WireSocket } from './socket-types.ts'
import { handleSubscriptions } from './subscriptions.ts'

/** Path prefix of socket.io. */
export const socketPath = '/socket.io/'

/** How long a looked-up session is reused for subscriptions. */
const sessionFreshMs = 5000

/** Maximum number of connections (tabs, devices) per user. */
const maxConnections = 100

/** The socket part of the wire layer. It opens no port itself: requests are passed to it. */
export interface SocketServer {
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  emitToUser(user: string, event: string, payload: unknown): void
  close(): Promise<void>
}

/** Creates the socket server with Frappe's rooms and events, fed by the document store. */
export async function createSocketServer(options: WireOptions, now: () => number = Date.now): Promise<SocketServer> {
  const { documents, sessions, log, config } = options
  const readClient = clientReader(config.trustedProxies)
  const failed = (error: unknown) => log.error('A socket event failed', { error })
  const adapter = options.clusterPool ? await clusterAdapter(options.clusterPool, log) : null
  const admission = createAdmission({ sessions, readClient, url: config.url, now })
  // socket.io expects to own a server; ours is shared with other protocols, so it gets one that never listens.
  const listener = createServer()
  const io: WireIo = new Server(listener, {
    path: socketPath,
    serveClient: false,
    maxHttpBufferSize: 64 * 1024,
    connectTimeout: 10_000,
    cors: { origin: false },
    allowRequest: (request, done) => {
      const refuse = () => done('Too many connections', false)
      // Guests are connected only to receive a rejection, within ten seconds.
      if (!hasCredentials(request) && slots.isFull(null)) {
        refuse()
        return
      }
      admission.caller(request).then(
        ({ user, learned }) => {
          if (slots.isFull(user)) {
            refuse()
            return
          }
          if (learned !== null) openNamespace(learned)
          users.set(request, user)
          done(null, true)
        },
        (error: unknown) => {
          // Clients reconnect when a handshake fails.
          log.debug('The session of a socket could not be looked up', { error })
          done('Unavailable', false)
        },
      )
    },
  })
  limitFrames((io.engine as unknown as { ws: Parameters<typeof limitFrames>[0] }).ws, now)
  const slots = createConnectionSlots()
  const users = new WeakMap<IncomingMessage, string | null>()
  io.engine.on('connection', (connection: WireSocket['conn']) => {
    limitPackets(connection, now)
    const leave = slots.take(users.get(connection.request) ?? null)
    // Other connections may have been added since the handshake.
    if (leave === null) connection.close(true)
    else connection.once('close', leave)
  })
  if (adapter !== null) io.adapter(adapter)
  const namespaces = new Set<WireNamespace>()
  const viewers = createDocumentViewers(() => namespaces, failed)
  const changes = rememberChanges(now)
  const events = createEventQueue({ documents, namespaces: () => namespaces, lost: endOrganization, failed })
  /** Number of revocations so far: sessions looked up before the latest one may be outdated. */
  let revocations = 0
  /** That number when a connection's session was first looked up. */
  const lookedUp = new WeakMap<WireSocket, number>()
  // The library opens the root namespace for everyone.
  io.use((_socket, next) => next(new Error('Invalid namespace')))

  function openNamespace(name: string): void {
    const namespace = io.of(`/${name}`)
    namespaces.add(namespace)
    namespace.use((socket, next) => {
      lookedUp.set(socket, revocations)
      admission.admit(socket).then(
        () => next(isCrowded(namespace, socket) ? new Error('Too many connections') : undefined),
        (error: unknown) => next(error instanceof Error ? error : new Error('Unauthorized')),
      )
    })
    namespace.on('connection', (socket) => {
      const { session } = socket.data
      keepConnection(socket)
      Promise.resolve(
        socket.join([
          rooms.user(session.user),
          'website',
          ...(session.organization ? [rooms.organization(session.organization)] : []),
        ]),
      ).catch(failed)
      if (lookedUp.get(socket) !== revocations) lookAgainAt(socket).catch(failed)
      socket.on('disconnecting', () => viewers.leave(socket))
      handleSubscriptions(socket, { documents, viewers, changes, currentSession, failed, now })
    })
  }
  for (const name of admission.names()) openNamespace(name)

  /** The current session of a connection; closes the connection if it has ended. */
  async function currentSession(socket: WireSocket): Promise<Session | null> {
    if (now() - socket.data.checkedAt < sessionFreshMs) return socket.data.session
    const identity = await identify(socket.request.headers, readClient(socket.request).ip, sessions).catch(
      (error: unknown) => {
        log.debug('The session of a socket could not be looked up', { error })
        return null
      },
    )
    if (identity === null || identity.session.user !== socket.data.session.user) {
      endConnection(socket, viewers)
      return null
    }
    socket.data = { ...socket.data, session: identity.session, checkedAt: now() } satisfies SocketData
    return identity.session
  }

  /** Closes connections that may have missed events of an organization: pages reload everything when they reconnect. */
  function endOrganization(organization: string): void {
    for (const namespace of namespaces) {
      for (const socket of namespace.sockets.values()) {
        const { session } = socket.data
        if (session.organization === organization || session.platformAdmin) endConnection(socket, viewers)
      }
    }
  }

  /** Closes a connection whose session has ended or whose organization changed. */
  async function lookAgainAt(socket: WireSocket): Promise<void> {
    const { session } = socket.data
    socket.data.checkedAt = 0
    const fresh = await currentSession(socket)
    if (fresh !== null && fresh.organization !== session.organization) endConnection(socket, viewers)
  }

  async function lookAgain(): Promise<void> {
    for (const namespace of namespaces) for (const socket of [...namespace.sockets.values()]) await lookAgainAt(socket)
  }

  /** Serialized: many at once (a member with a thousand shares leaves) must not overload the database. */
  let personal: Promise<void> = Promise.resolve()

  const stopEvents = documents.onEvent((event) => {
    changes.note(event)
    if (!isPersonal(event)) events.publish(event)
    for (const namespace of namespaces) {
      if (isPersonal(event)) {
        personal = personal.then(() => sendToPerson(documents, namespace, event)).catch(failed)
        continue
      }
      announceProgress(documents, namespace, event).catch(failed)
    }
  })
  const stopRevocations = sessions.onRevoked((revoked) => {
    revocations += 1
    if (revoked.user === null) {
      changes.lost()
      lookAgain().catch(failed)
      return
    }
    if (revoked.sessionId === null) changes.noteRights(revoked.user)
    for (const namespace of namespaces) {
      for (const socket of namespace.sockets.values()) {
        const { session } = socket.data
        if (session.user !== revoked.user || (revoked.sessionId !== null && session.id !== revoked.sessionId)) continue
        endConnection(socket, viewers)
      }
    }
  })

  return {
    handleRequest: (request, response) => void listener.emit('request', request, response),
    handleUpgrade(request, socket, head) {
      const query = new URLSearchParams(request.url?.split('?')[1])
      // The library would open a websocket for any other transport just to close it.
      if (query.getAll('transport').at(-1) === 'websocket') listener.emit('upgrade', request, socket, head)
      else refuseUpgrade(socket, '400 Bad Request')
    },
    emitToUser(user, event, payload) {
      // Sent after all earlier events.
      events.after(() => {
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

/** Whether a user has reached the maximum number of connections. */
function isCrowded(namespace: WireNamespace, socket: WireSocket): boolean {
  return (namespace.adapter.rooms.get(rooms.user(socket.data.session.user))?.size ?? 0) >= maxConnections
}
