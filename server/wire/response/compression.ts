import compress from '@fastify/compress'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Bytes that go in one packet anyway. */
const onePacket = 1400

/** Sends the response of a request uncompressed, whatever the client accepts. */
export function leavePlain(request: FastifyRequest): void {
  request.headers['x-no-compression'] = ''
}

/**
 * JSON is compressed for clients that accept it: a page of a list is a tenth of its size. Never HTML: a page carries the CSRF
 * token beside parts of its address, and how well the two compress together would tell the token (BREACH, CVE-2013-3587).
 * Files keep their length and their one ETag. Bodies of requests stay as they are: their limit is one of bytes read, and few
 * compressed ones can become many.
 */
export function compressResponses(app: FastifyInstance): void {
  // `customTypes` of the library only adds to what it takes for compressible; this runs before its own hook.
  app.addHook('onSend', async (request, reply, payload) => {
    if (!/^application\/json\b/.test(String(reply.getHeader('content-type') ?? ''))) leavePlain(request)
    return payload
  })
  app.register(compress, { globalDecompression: false, encodings: ['br', 'gzip'], threshold: onePacket })
}
