import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** Bytes that go in one packet anyway. */
const onePacket = 1400

/**
 * JSON goes compressed to whoever takes that: a page of a list is a tenth of its size. Never HTML: a page carries the CSRF
 * token beside parts of its address, and how well the two compress together would tell the token (BREACH, CVE-2013-3587).
 * Bodies of requests stay as they are: their limit is one of bytes read, and few compressed ones can become many.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.register(compress, {
    globalDecompression: false,
    customTypes: /^application\/json\b/,
    encodings: ['br', 'gzip'],
    threshold: onePacket,
  })
}
