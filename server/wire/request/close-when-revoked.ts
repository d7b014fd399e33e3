import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionStore } from '#server/contracts/session.ts'
import { contextOf } from './request-context.ts'

/**
 * Closes the connection of a long request when its caller's session ends or loses permissions: otherwise a slow client could
 * read or send as long as it likes.
 */
export function closeWhenRevoked(
  request: FastifyRequest,
  reply: FastifyReply,
  sessions: Pick<SessionStore, 'onRevoked'>,
): void {
  // The caller hung up while we looked for the content: there is no `close` any more that would end the subscription.
  if (reply.raw.destroyed) return
  const { session } = contextOf(request)
  const stop = sessions.onRevoked(({ user, sessionId }) => {
    const isOwnSession = user === null || (user === session.user && (sessionId === null || sessionId === session.id))
    if (isOwnSession) reply.raw.destroy()
  })
  reply.raw.once('close', stop)
}
