import type { IncomingMessage } from 'node:http'
import { hasCredentials } from './admission.ts'
import { limitPackets } from './limit-packets.ts'
import type { SocketContext } from './socket-context.ts'
import { openNamespace } from './socket-namespace.ts'
import type { WireSocket } from './socket-types.ts'

/** Answers a handshake: refused if the caller has too many connections, or if their session could not be looked up. */
export function answerHandshake(
  context: SocketContext,
  request: IncomingMessage,
  done: (error: string | null, allowed: boolean) => void,
): void {
  const { slots, admission, users, log } = context
  const rejectConnection = () => done('Too many connections', false)
  // Guests are connected only to receive a rejection, within ten seconds.
  if (!hasCredentials(request) && slots.isFull(null)) {
    rejectConnection()
    return
  }
  admission.caller(request).then(
    ({ user, learned }) => {
      if (slots.isFull(user)) {
        rejectConnection()
        return
      }
      if (learned !== null) openNamespace(context, learned)
      users.set(request, user)
      done(null, true)
    },
    (error: unknown) => {
      // Clients reconnect when a handshake fails.
      log.debug('The session of a socket could not be looked up', { error })
      done('Unavailable', false)
    },
  )
}

/** Limits a new connection, which takes a slot of its user until it closes. */
export function takeSlot({ slots, users, now }: SocketContext, connection: WireSocket['conn']): void {
  limitPackets(connection, now)
  const leave = slots.take(users.get(connection.request) ?? null)
  // Other connections may have been added since the handshake.
  if (leave === null) connection.close(true)
  else connection.once('close', leave)
}
