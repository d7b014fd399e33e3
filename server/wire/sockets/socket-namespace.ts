import { exemptFromTimeLimit } from './exempt-from-time-limit.ts'
import type { SocketContext } from './socket-context.ts'
import { currentSession, recheckConnection } from './socket-sessions.ts'
import { rooms, type WireNamespace, type WireSocket } from './socket-types.ts'
import { handleStreams } from './streams.ts'
import { handleSubscriptions } from './subscriptions.ts'

/** Opens the namespace of a host name, and with it the connections to it. */
export function openNamespace(context: SocketContext, name: string): void {
  const { io, namespaces, lookedUp, admission } = context
  const namespace = io.of(`/${name}`)
  namespaces.add(namespace)
  namespace.use((socket, next) => {
    lookedUp.set(socket, context.revocations)
    admission.admit(socket).then(
      () => next(hasTooManyConnections(context, namespace, socket) ? new Error('Too many connections') : undefined),
      (error: unknown) => next(error instanceof Error ? error : new Error('Unauthorized')),
    )
  })
  namespace.on('connection', (socket) => openConnection(context, socket))
}

function openConnection(context: SocketContext, socket: WireSocket): void {
  const { documents, viewers, changes, failed, now } = context
  const { session } = socket.data
  exemptFromTimeLimit(socket)
  Promise.resolve(
    socket.join([
      rooms.user(session.user),
      'website',
      ...(session.organization ? [rooms.organization(session.organization)] : []),
    ]),
  ).catch(failed)
  if (context.lookedUp.get(socket) !== context.revocations) recheckConnection(context, socket).catch(failed)
  socket.on('disconnecting', () => viewers.leave(socket))
  handleSubscriptions(socket, {
    documents,
    viewers,
    changes,
    currentSession: (one) => currentSession(context, one),
    failed,
    now,
  })
  const { streams } = context
  handleStreams(socket, { kinds: streams, currentSession: (one) => currentSession(context, one), failed, now })
}

/** Whether a user has reached the maximum number of connections. */
function hasTooManyConnections({ slots }: SocketContext, namespace: WireNamespace, socket: WireSocket): boolean {
  return (namespace.adapter.rooms.get(rooms.user(socket.data.session.user))?.size ?? 0) >= slots.mostAdmitted
}
