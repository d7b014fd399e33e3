import compress from '@fastify/compress'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Responses up to this size fit into one packet anyway. */
const onePacket = 1400

/** Sends the response of a request uncompressed, whatever the client accepts. */
export function skipCompression(request: FastifyRequest): void {
  request.headers['x-no-compression'] = ''
}

/**
 * Compresses JSON for clients that accept it: a list page shrinks to a tenth. Never HTML: a page contains the CSRF token
 * together with parts of its URL, and their compression ratio would reveal the token (BREACH, CVE-2013-3587). Files keep
 * their length and single ETag. Request bodies are not decompressed: the limit counts bytes read, and a small compressed
 * body can expand to a huge one.
 */
export function compressResponses(app: FastifyInstance): void {
  // The library's `customTypes` only adds compressible types; this hook runs before its own.
  app.addHook('onSend', async (request, reply, payload) => {
    if (!/^application\/json\b/.test(String(reply.getHeader('content-type') ?? ''))) skipCompression(request)
    return payload
  })
  app.register(compress, { globalDecompression: false, encodings: ['br', 'gzip'], threshold: onePacket })
}
