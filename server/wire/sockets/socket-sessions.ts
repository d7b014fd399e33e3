import type { Session, SessionStore } from '#server/contracts/session.ts'
import { authenticate } from '../request/authenticate.ts'
import { endConnection } from './end-connection.ts'
import type { SocketContext } from './socket-context.ts'
import type { SocketData, WireSocket } from './socket-types.ts'

/** How long a looked-up session is reused for subscriptions. */
const sessionFreshMs = 5000

/** The current session of a connection; closes the connection if it has ended. */
export async function currentSession(context: SocketContext, socket: WireSocket): Promise<Session | null> {
  const { sessions, log, viewers, now } = context
  if (now() - socket.data.checkedAt < sessionFreshMs) return socket.data.session
  const { ip } = context.readClient(socket.request)
  const identity = await authenticate(socket.request.headers, ip, sessions).catch((error: unknown) => {
    log.debug('The session of a socket could not be looked up', { error })
    return null
  })
  if (identity === null || identity.session.user !== socket.data.session.user) {
    endConnection(socket, viewers)
    return null
  }
  socket.data = { ...socket.data, session: identity.session, checkedAt: now() } satisfies SocketData
  return identity.session
}

/** Closes a connection whose session has ended or whose organization changed. */
export async function recheckConnection(context: SocketContext, socket: WireSocket): Promise<void> {
  const { session } = socket.data
  socket.data.checkedAt = 0
  const fresh = await currentSession(context, socket)
  if (fresh !== null && fresh.organization !== session.organization) endConnection(socket, context.viewers)
}

/**
 * Closes connections that may have missed events of an organization, or of rows outside of organizations, which everybody has:
 * pages reload everything when they reconnect.
 */
export function endOrganization(context: SocketContext, organization: string | null): void {
  for (const socket of connectionsOf(context)) {
    const { session } = socket.data
    if (organization === null || session.organization === organization || session.platformAdmin)
      endConnection(socket, context.viewers)
  }
}

/** Closes the connections of a revoked session or user; rechecks all of them if revocations may have been missed. */
export function applyRevocation(
  context: SocketContext,
  revoked: Parameters<Parameters<SessionStore['onRevoked']>[0]>[0],
): void {
  const { changes, viewers } = context
  context.revocations += 1
  if (revoked.user === null) {
    changes.lost()
    recheckAll(context).catch(context.failed)
    return
  }
  if (revoked.sessionId === null) changes.recordRightsChange(revoked.user)
  for (const socket of connectionsOf(context)) {
    const { session } = socket.data
    if (session.user !== revoked.user || (revoked.sessionId !== null && session.id !== revoked.sessionId)) continue
    endConnection(socket, viewers)
  }
}

async function recheckAll(context: SocketContext): Promise<void> {
  for (const namespace of context.namespaces)
    for (const socket of [...namespace.sockets.values()]) await recheckConnection(context, socket)
}

function* connectionsOf({ namespaces }: SocketContext): Generator<WireSocket> {
  for (const namespace of namespaces) yield* namespace.sockets.values()
}
