import type { IncomingHttpHeaders } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import multipart from '@fastify/multipart'
import { AppError } from '#shared/errors.ts'
import type { FileStore, Upload } from '#server/documents/file-types.ts'
import { say } from '#shared/sentence.ts'
import { decodeUtf8, parseJsonBody, parsePairs, type Sources } from './parameters.ts'
import { readMultipart } from './uploads.ts'

/** Most bytes of a request's body. */
export const bodyLimit = 25 * 1024 * 1024
/** The same for callers who are not signed in: forms of a few fields. */
export const guestBodyLimit = 256 * 1024

/**
 * Refuses a body by its announced length, before any of it is read: 413. Who sends parts that are counted one by one
 * (multipart) has to say how much it is: 417.
 */
export function refuseLargeBody(headers: IncomingHttpHeaders, isGuest: boolean): void {
  const isMultipart = headers['content-type']?.toLowerCase().startsWith('multipart/') === true
  if (isMultipart && headers['transfer-encoding'] !== undefined)
    throw new AppError('invalid', say`The request must say how long it is.`)
  if (Number(headers['content-length'] ?? 0) > (isGuest ? guestBodyLimit : bodyLimit))
    throw new AppError('too_large', say`The request is too large.`)
}

/**
 * A stranger's body that did not say its length, up to what strangers may send: what is longer fails with 413 while it
 * is read. Fastify itself counts with the limit of everybody else.
 */
export function limitGuestBody(body: Readable): Readable {
  let bytes = 0
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= guestBodyLimit) done(null, chunk)
      else done(new AppError('too_large', say`The request is too large.`))
    },
  })
  body.on('error', (error) => limited.destroy(error))
  // Who reads the body hears of it; when nobody does (it was refused by its type), a caller that hangs up is no event.
  limited.on('error', () => undefined)
  return body.pipe(limited)
}

/** Parsed body of a request, as Fastify carries it. */
type Body = Pick<Sources, 'json' | 'form'>

/** Teaches Fastify the three kinds of bodies the wire accepts; every other one is answered with 415. */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    parsed(done, () => ({ json: parseJsonBody(bytes) }))
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (_request, bytes: Buffer, done) => {
      parsed(done, () => ({ form: parsePairs(decodeUtf8(bytes)) }))
    },
  )
  app.register(multipart, {
    limits: { fieldNameSize: 200, fieldSize: 1024 * 1024, fields: 200, files: 5, headerPairs: 100, parts: 205 },
  })
}

function parsed(done: (error: Error | null, body?: Body) => void, parse: () => Body): void {
  try {
    done(null, parse())
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)))
  }
}

/** The parts of a request that hold parameters, and the file of a multipart body where `files` takes one. */
export async function readBody(
  request: FastifyRequest,
  files: Pick<FileStore, 'receive'> | null,
): Promise<Body & { upload?: Upload | null }> {
  if (request.isMultipart()) return readMultipart(request, files)
  return (request.body as Body | null | undefined) ?? {}
}
