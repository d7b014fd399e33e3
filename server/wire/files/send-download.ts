import { finished } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Download } from '#server/contracts/files.ts'
import type { SessionStore } from '#server/contracts/session.ts'
import { contextOf } from '../request/request-context.ts'
import type { WireOptions } from '../options.ts'

/**
 * Streams bytes. They are nobody's page: opened by themselves they are saved (a picture inside a page is shown all the
 * same), no type is guessed, and a sandbox with an empty policy holds what a browser shows in spite of it.
 */
export function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  download: Download,
  { log, sessions }: Pick<WireOptions, 'log' | 'sessions'>,
): FastifyReply {
  const { fileName, contentType, length, tag, maxAgeSeconds, open } = download
  const etag = tag === null ? null : `"${tag}"`
  reply
    .code(200)
    .header('content-type', contentType)
    .header('content-disposition', `attachment; ${namesOf(fileName)}`)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
    // Rights are asked again each time, so nothing may be used without asking; for a while only where that is said.
    .header(
      'cache-control',
      etag === null ? 'no-store' : `private, ${maxAgeSeconds === undefined ? 'no-cache' : `max-age=${maxAgeSeconds}`}`,
    )
  // Another person at the same browser is another caller.
  if (maxAgeSeconds !== undefined) reply.header('vary', 'Cookie, Authorization')
  if (etag !== null) {
    reply.header('etag', etag)
    const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''))
    if (known?.includes(etag)) return reply.code(304).removeHeader('content-type').send()
  }
  if (length !== null) reply.header('content-length', String(length))
  if (request.method === 'HEAD') return reply.send()
  const stream = open()
  if (length === null) endWithRights(request, reply, sessions)
  // The status is out: all that is left is to cut the connection, which Fastify does, and to say why.
  finished(stream, (error) => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.error('A download broke off', { error, requestId: request.id })
  })
  return reply.send(stream)
}

/**
 * Cuts an answer that is made while it is sent when the session of its caller ends or loses rights: a slow reader would
 * else go on with what it began with for as long as it likes.
 */
function endWithRights(request: FastifyRequest, reply: FastifyReply, sessions: Pick<SessionStore, 'onRevoked'>): void {
  const { session } = contextOf(request)
  const stop = sessions.onRevoked(({ user, sessionId }) => {
    const isOurs = user === null || (user === session.user && (sessionId === null || sessionId === session.id))
    if (isOurs) reply.raw.destroy()
  })
  reply.raw.once('close', stop)
}

/** Both forms of the name: plain characters for old clients, and the real one (RFC 6266). */
function namesOf(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${plain}"; filename*=UTF-8''${exact}`
}
