import type { IncomingMessage } from 'node:http'
import type { SessionStore } from '#server/documents/types.ts'
import { AppError } from '#shared/errors.ts'
import { identify } from '../authenticate.ts'
import type { Client } from '../client-address.ts'
import { sidOf } from '../cookies.ts'
import type { WireSocket } from './socket-types.ts'

/** Most host names besides the public one that become namespaces; each is kept in memory. */
const maxLearnedHosts = 100

/** Decides which namespaces exist and who may connect. */
export interface Admission {
  /** Host names known from the start; each is a namespace. */
  names(): Iterable<string>
  /** For engine.io, which this never refuses: returns the host name a signed-in browser uses when it is a new one. */
  allowRequest(request: IncomingMessage): Promise<string | null>
  /** Throws an error whose message is the client's `connect_error`. Puts the session into the socket's data. */
  admit(socket: WireSocket): Promise<void>
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

  async function identityOf(request: IncomingMessage) {
    return identify(request.headers, readClient(request).ip, sessions)
  }

  return {
    async allowRequest(request) {
      const name = hostName(readClient(request).host)
      if (name === '' || names.has(name) || names.size >= maxLearnedHosts || !hasCredentials(request)) return null
      const identity = await identityOf(request).catch(() => null)
      if (identity === null || identity.session.kind === 'guest' || names.has(name)) return null
      names.add(name)
      return name
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
        if (/(?:^|;\s*)sid=/.test(request.headers.cookie ?? '')) throw new Error('Unauthorized')
        throw new Error('No authentication method used. Use cookie or authorization header.')
      }
      const identity = await identityOf(request).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'unauthorized') return null
        // The database is away for a moment: clients take a refusal for good, but come back when a connection breaks.
        socket.conn.close()
        throw error
      })
      if (identity === null || identity.session.kind === 'guest') throw new Error('Unauthorized')
      socket.data = { session: identity.session, checkedAt: setting.now() }
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
