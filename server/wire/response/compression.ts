import compress from '@fastify/compress'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Bytes that go in one packet anyway. */
const onePacket = 1400

/** Sends the answer of a request as it is, whatever its reader takes. */
export function leavePlain(request: FastifyRequest): void {
  request.headers['x-no-compression'] = ''
}

/**
 * JSON goes compressed to whoever takes that: a page of a list is a tenth of its size. Never HTML: a page carries the CSRF
 * token beside parts of its address, and how well the two compress together would tell the token (BREACH, CVE-2013-3587).
 * Files keep their length and their one ETag. Bodies of requests stay as they are: their limit is one of bytes read, and few
 * compressed ones can become many.
 */
export function compressAnswers(app: FastifyInstance): void {
  // `customTypes` of the library only adds to what it takes for compressible; this runs before its own hook.
  app.addHook('onSend', async (request, reply, payload) => {
    if (!/^application\/json\b/.test(String(reply.getHeader('content-type') ?? ''))) leavePlain(request)
    return payload
  })
  app.register(compress, { globalDecompression: false, encodings: ['br', 'gzip'], threshold: onePacket })
}
