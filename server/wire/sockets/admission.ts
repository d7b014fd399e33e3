import type { IncomingMessage } from 'node:http'
import type { Session, SessionStore } from '#server/contracts/session.ts'
import { AppError } from '#shared/errors.ts'
import { authenticate } from '../request/authenticate.ts'
import type { Client } from '../request/client-address.ts'
import { hasSid, sidOf } from '../request/cookies.ts'
import type { WireSocket } from './socket-types.ts'

/** Maximum number of additional host names that become namespaces; each is kept in memory. */
const maxLearnedHosts = 100

/** Decides which namespaces exist and who may connect. */
export interface Admission {
  /** Host names known from the start; each is a namespace. */
  names(): Iterable<string>
  /** Identifies the caller of a new connection without rejecting anybody. Throws if the lookup fails. */
  caller(request: IncomingMessage): Promise<Caller>
  /** Sets the session in the socket's data. Throws an error whose message becomes the client's `connect_error`. */
  admit(socket: WireSocket): Promise<void>
}

/** Caller of a new connection. */
interface Caller {
  /** Null for a guest, including invalid credentials. */
  readonly user: string | null
  /** The host name a signed-in browser uses, if it is new. */
  readonly learned: string | null
}

/** Settings of connection admission. */
export interface AdmissionOptions {
  sessions: SessionStore
  readClient(request: IncomingMessage): Client
  /** Public origin. */
  url: string
  now(): number
}

/** Connections need our origin (if one is sent), a live session, and the namespace of our own host name. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { sessions, readClient } = options
  const publicName = new URL(options.url).hostname
  const names = new Set([publicName, 'localhost', '127.0.0.1'])

  /** Null for invalid credentials and for an ended session. */
  async function liveSession(request: IncomingMessage): Promise<Session | null> {
    try {
      const { session } = await authenticate(request.headers, readClient(request).ip, sessions)
      return session.kind === 'guest' ? null : session
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthorized') return null
      throw error
    }
  }

  return {
    async caller(request) {
      const session = hasCredentials(request) ? await liveSession(request) : null
      if (session === null) return { user: null, learned: null }
      const name = hostName(readClient(request).host)
      const isNew = name !== '' && !names.has(name) && names.size < maxLearnedHosts
      if (isNew) names.add(name)
      return { user: session.user, learned: isNew ? name : null }
    },
    names: () => names,
    async admit(socket) {
      const { request } = socket
      const name = socket.nsp.name.slice(1)
      if (name !== publicName && name !== hostName(readClient(request).host)) throw new Error('Invalid namespace')
      const { origin } = request.headers
      if (origin !== undefined && origin !== options.url) throw new Error('Invalid origin')
      if (!hasCredentials(request)) {
        // `sid=Guest`, which guests may send, counts as a method; only a request without any gets this message.
        if (hasSid(request.headers.cookie)) throw new Error('Unauthorized')
        throw new Error('No authentication method used. Use cookie or authorization header.')
      }
      const session = await liveSession(request).catch((error: unknown) => {
        // The database is temporarily unavailable: clients treat a rejection as final, but reconnect when the connection
        // closes.
        socket.conn.close()
        throw error
      })
      if (session === null) throw new Error('Unauthorized')
      socket.data = { session, checkedAt: options.now() }
      // With several processes the adapter shares this with the others, which must not see the cookie.
      socket.handshake.headers = {}
    },
  }
}

/** Whether a request sends credentials, valid or not. */
export function hasCredentials(request: IncomingMessage): boolean {
  return request.headers.authorization !== undefined || sidOf(request.headers.cookie) !== null
}

/** Host without port and brackets. */
function hostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
}
