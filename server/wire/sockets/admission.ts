import type { IncomingMessage } from 'node:http'
import type { Session, SessionStore } from '#server/contracts/session.ts'
import { AppError } from '#shared/errors.ts'
import { identify } from '../request/authenticate.ts'
import type { Client } from '../request/client-address.ts'
import { hasSid, sidOf } from '../request/cookies.ts'
import type { WireSocket } from './socket-types.ts'

/** Most host names besides the public one that become namespaces; each is kept in memory. */
const maxLearnedHosts = 100

/** Decides which namespaces exist and who may connect. */
export interface Admission {
  /** Host names known from the start; each is a namespace. */
  names(): Iterable<string>
  /** Who begins a connection; refuses nobody. Throws when it cannot be found out. */
  caller(request: IncomingMessage): Promise<Caller>
  /** Throws an error whose message is the client's `connect_error`. Puts the session into the socket's data. */
  admit(socket: WireSocket): Promise<void>
}

/** Who begins a connection. */
interface Caller {
  /** Null is a stranger: credentials count when they are right. */
  readonly user: string | null
  /** The host name a signed-in browser uses, when it is a new one. */
  readonly learned: string | null
}

/** What decides about connections. */
export interface AdmissionSetting {
  sessions: SessionStore
  readClient(request: IncomingMessage): Client
  /** Public origin. */
  url: string
  now(): number
}

/** Connections need our origin (when one is sent), a live session, and the namespace of our own host name. */
export function createAdmission(setting: AdmissionSetting): Admission {
  const { sessions, readClient } = setting
  const publicName = new URL(setting.url).hostname
  const names = new Set([publicName, 'localhost', '127.0.0.1'])

  /** Null for wrong credentials, and for those of an ended session. */
  async function liveSession(request: IncomingMessage): Promise<Session | null> {
    try {
      const { session } = await identify(request.headers, readClient(request).ip, sessions)
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
      if (origin !== undefined && origin !== setting.url) throw new Error('Invalid origin')
      if (!hasCredentials(request)) {
        // `sid=Guest`, which guests may carry, says who comes; only nothing at all is no method.
        if (hasSid(request.headers.cookie)) throw new Error('Unauthorized')
        throw new Error('No authentication method used. Use cookie or authorization header.')
      }
      const session = await liveSession(request).catch((error: unknown) => {
        // The database is away for a moment: clients take a refusal for good, but come back when a connection breaks.
        socket.conn.close()
        throw error
      })
      if (session === null) throw new Error('Unauthorized')
      socket.data = { session, checkedAt: setting.now() }
      // With several processes the library hands this to the others; the cookie is nobody's business.
      socket.handshake.headers = {}
    },
  }
}

/** Whether a request says who sends it, right or wrong. */
export function hasCredentials(request: IncomingMessage): boolean {
  return request.headers.authorization !== undefined || sidOf(request.headers.cookie) !== null
}

/** Host without port and brackets. */
function hostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
}
