import type { FastifyInstance, FastifyRequest } from 'fastify'
import multipart from '@fastify/multipart'
import type { FileStore, Upload } from '#server/contracts/files.ts'
import { runTask } from '#server/platform/log/loop-watchdog.ts'
import { awaitParseSlot, formLimit } from './body-limits.ts'
import { decodeUtf8, parseJsonBody, parsePairs, type Sources } from './parameters.ts'
import { requestTask } from './request-task.ts'
import { readMultipart } from '../files/read-multipart.ts'

/** Parsed body of a request, as stored by Fastify. */
type Body = Pick<Sources, 'json' | 'form'>

/** Registers the three body types the wire layer accepts; all others get 415. */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer): Promise<Body> =>
      runTask(requestTask(request.raw), async () => {
        await awaitParseSlot(bytes.length)
        return { json: parseJsonBody(bytes) }
      }),
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: formLimit },
    async (request: FastifyRequest, bytes: Buffer): Promise<Body> =>
      runTask(requestTask(request.raw), async () => {
        await awaitParseSlot(bytes.length)
        return { form: parsePairs(decodeUtf8(bytes)) }
      }),
  )
  app.register(multipart, {
    limits: { fieldNameSize: 200, fieldSize: 1024 * 1024, fields: 200, files: 5, headerPairs: 100, parts: 205 },
  })
}

/** The parameters in a request's body, and the file of a multipart body if `files` accepts one. */
export async function readBody(
  request: FastifyRequest,
  files: Pick<FileStore, 'receive'> | null,
): Promise<Body & { upload?: Upload | null }> {
  if (request.isMultipart()) return readMultipart(request, files)
  return (request.body as Body | null | undefined) ?? {}
}
