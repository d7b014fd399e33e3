import { finished } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Download } from '#server/contracts/files.ts'
import { closeWhenRevoked } from '../request/close-when-revoked.ts'
import type { WireOptions } from '../options.ts'
import { byteRangeOf } from './byte-range.ts'

/**
 * Streams a file. It must never act as a page: it is downloaded when opened directly (images embedded in a page still show),
 * its type is not sniffed, and an empty sandbox policy restricts whatever a browser shows anyway. A content of known length
 * is also sent in parts, so that a download that broke off goes on where it ended.
 */
export function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  download: Download,
  { log, sessions }: Pick<WireOptions, 'log' | 'sessions'>,
): FastifyReply {
  const { fileName, contentType, length, tag, maxAgeSeconds, open, close = () => undefined } = download
  const etag = tag === null ? null : `"${tag}"`
  reply
    .code(200)
    .header('content-type', contentType)
    .header('content-disposition', `attachment; ${namesOf(fileName)}`)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
    // Permissions are checked for each request, so caches must revalidate unless a max age is set.
    .header(
      'cache-control',
      etag === null ? 'no-store' : `private, ${maxAgeSeconds === undefined ? 'no-cache' : `max-age=${maxAgeSeconds}`}`,
    )
  // Another user of the same browser is another caller.
  if (maxAgeSeconds !== undefined) reply.header('vary', 'Cookie, Authorization')
  if (etag !== null) {
    reply.header('etag', etag)
    const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''))
    if (known?.includes(etag)) {
      close()
      return reply.code(304).removeHeader('content-type').send()
    }
  }
  if (length !== null) reply.header('accept-ranges', 'bytes').header('content-length', String(length))
  if (request.method === 'HEAD') {
    close()
    return reply.send()
  }
  const range = length === null ? null : wantedRange(request, length, etag)
  if (range === 'unsatisfiable') {
    close()
    return reply
      .code(416)
      .header('content-range', `bytes */${length}`)
      .removeHeader('content-type')
      .removeHeader('content-length')
      .send()
  }
  if (range !== null)
    reply
      .code(206)
      .header('content-range', `bytes ${range.start}-${range.end}/${length}`)
      .header('content-length', String(range.end - range.start + 1))
  const stream = open(range ?? undefined)
  closeWhenRevoked(request, reply, sessions)
  // The status is already sent: Fastify closes the connection, and we log the reason.
  finished(stream, (error) => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.error('A download broke off', { error, requestId: request.id })
  })
  return reply.send(stream)
}

/** The range to send. After a change of the content a range of the old one would be mixed with the new (`If-Range`). */
function wantedRange({ headers }: FastifyRequest, length: number, etag: string | null) {
  const condition = headers['if-range']
  if (condition !== undefined && condition !== etag) return null
  return byteRangeOf(headers.range, length)
}

/** Both forms of the name: ASCII for old clients, and the exact one (RFC 6266). */
function namesOf(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${plain}"; filename*=UTF-8''${exact}`
}
