import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { takesFile } from '../files/read-multipart.ts'
import { bodyLimitOf, countPendingBodies, limitBody } from '../request/body-limits.ts'
import { contextOf } from '../request/request-context.ts'

/** Limits the memory for bodies being received: per body, per caller and in total. */
export function limitBodies(app: FastifyInstance): void {
  const pending = countPendingBodies()
  app.addHook('preParsing', async (request, reply, body) => {
    if (request.routeOptions.config.isStreamed) return body
    const isChunked = request.headers['transfer-encoding'] !== undefined
    if (!isChunked && request.headers['content-length'] === undefined) return body
    const { session, client, addressedMethod } = contextOf(request)
    const isGuest = session.kind === 'guest'
    const { bodyLimit, config } = request.routeOptions
    const limit = config.isRaw
      ? bodyLimit
      : bodyLimitOf(request.headers, { isGuest, takesFile: takesFile(addressedMethod) })
    const end = pending.admit(isGuest ? { address: client.ip } : session.user, request.headers, limit)
    if (end !== null) reply.raw.once('close', end)
    if (!isChunked) return body
    // Do not wait for the unread rest of a guest's oversized body.
    if (isGuest) reply.header('connection', 'close')
    return limitBody(body as Readable, limit)
  })
}
