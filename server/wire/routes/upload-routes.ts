import { Readable } from 'node:stream'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { requireVerified } from '#server/contracts/session.ts'
import type { UploadStore } from '#server/contracts/resumable-upload.ts'
import { hasBody } from '#server/platform/network/has-body.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { WireServices } from '../options.ts'
import { closeWhenRevoked } from '../request/close-when-revoked.ts'
import { contextOf } from '../request/request-context.ts'
import { noStore } from '../response/headers.ts'
import { answerUpload, uploadsPath } from '../files/tus-server.ts'

/**
 * Routes of resumable uploads (tus 1.0.0, https://tus.io/protocols/resumable-upload), by that protocol's own package. They
 * are calls like others: same sessions, tokens and CSRF token. Their bodies are never held in memory.
 */
export const uploadRoutes: FastifyPluginCallback<{ services: WireServices; uploads: UploadStore }> = (
  app,
  { services, uploads },
  done,
) => {
  app.removeAllContentTypeParsers()
  // The body stays unread until the upload takes it.
  app.addContentTypeParser('*', (_request, _body, parsed) => parsed(null))
  const config = { api: 'upload', isStreamed: true } as const
  const onRequest = async (request: FastifyRequest) => rejectGuests(request)
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('tus-resumable', '1.0.0')
    closeWhenRevoked(request, reply, services.sessions)
    const response = await answerUpload(uploads, contextOf(request).session, webRequest(request)).finally(() => {
      // Nobody reads the rest of a refused body.
      if (!request.raw.complete && hasBody(request.raw)) reply.header('connection', 'close')
    })
    for (const [name, value] of response.headers) reply.header(name, value)
    reply.header('cache-control', noStore).code(response.status)
    return reply.send(response.status === 204 || request.method === 'HEAD' ? undefined : await response.text())
  }
  app.route({ method: 'POST', url: uploadsPath, config, onRequest, handler })
  app.route({ method: ['HEAD', 'PATCH', 'DELETE'], url: `${uploadsPath}/:id`, config, onRequest, handler })
  done()
}

/** Rejects guests before anything of the body is read. */
function rejectGuests(request: FastifyRequest): void {
  const { session } = contextOf(request)
  if (session.kind === 'guest') throw new AppError('unauthorized', msg`Log in to upload files.`)
  requireVerified(session)
}

/** The request as the web standard has it. Its host is ours, whatever was sent: it appears in no answer. */
function webRequest(request: FastifyRequest): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && !name.startsWith(':')) headers.set(name, value)
  const { path } = contextOf(request)
  const body = hasBody(request.raw) ? Readable.toWeb(request.raw) : null
  return new Request(`http://localhost${path}`, {
    method: request.method,
    headers,
    ...(body === null ? {} : { body, duplex: 'half' }),
  } as RequestInit)
}
