import type { FastifyPluginCallback, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { sameSecret } from '#server/platform/secrets/tokens.ts'
import { msg } from '#shared/localized-message.ts'
import type { WireServices } from '../options.ts'
import { contextOf } from '../request/request-context.ts'
import { noStore } from '../response/headers.ts'
import { readingVerbs } from './routing.ts'

/** Routes for operators and monitoring. */
export const healthRoutes: FastifyPluginCallback<{ services: WireServices }> = (app, { services }, done) => {
  const { health, config } = services
  const isPublic = { isPublic: true }

  // Whether the process is alive.
  app.route({
    method: readingVerbs,
    url: '/healthz',
    config: isPublic,
    handler: (_request, reply) => reply.header('cache-control', noStore).send({ status: 'ok' }),
  })

  // 200 if everything required works, else 503; both list the parts.
  app.route({
    method: readingVerbs,
    url: '/readyz',
    config: isPublic,
    handler: async (_request, reply) => {
      const { ok, checks } = await health.ready()
      return reply
        .code(ok ? 200 : 503)
        .header('cache-control', noStore)
        .send({ status: ok ? 'ok' : 'unavailable', checks })
    },
  })

  // Only for this machine and for holders of the configured token.
  app.route({
    method: readingVerbs,
    url: '/metrics',
    config: isPublic,
    handler: async (request, reply) => {
      if (!hasToken(request, config.metricsToken) && !isFromThisMachine(request))
        throw new AppError('forbidden', msg`Figures are for this machine and for holders of the token.`)
      return reply
        .header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
        .header('cache-control', noStore)
        .send(await health.metrics())
    },
  })
  done()
}

function hasToken({ headers }: FastifyRequest, token: string | null): boolean {
  const sent = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1]
  return token !== null && sent !== undefined && sameSecret(sent, token)
}

const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

/**
 * Also checks the host name: a page on a foreign name that resolves to this machine must not read metrics (DNS rebinding).
 */
function isFromThisMachine(request: FastifyRequest): boolean {
  const { client } = contextOf(request)
  return client.loopback && loopbackName.test(client.host)
}
