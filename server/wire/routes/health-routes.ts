import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { sameSecret } from '#server/platform/secrets/tokens.ts'
import { say } from '#shared/sentence.ts'
import { exchangeOf } from '../request/request-context.ts'
import { noStore } from '../response/headers.ts'
import type { WireOptions } from '../options.ts'

/** Answers `/healthz`: the process lives. */
export function sendAlive(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', noStore).send({ status: 'ok' })
}

/** Answers `/readyz`: 200 when everything needed works, else 503; the parts are named in both. */
export async function sendReady(reply: FastifyReply, options: WireOptions): Promise<FastifyReply> {
  const { ok, checks } = await options.health.ready()
  return reply
    .code(ok ? 200 : 503)
    .header('cache-control', noStore)
    .send({ status: ok ? 'ok' : 'unavailable', checks })
}

const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

/** Answers `/metrics` to this machine, or with the token of the settings. */
export async function sendMetrics(
  request: FastifyRequest,
  reply: FastifyReply,
  options: WireOptions,
): Promise<FastifyReply> {
  const { metricsToken } = options.config
  const sent = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  const byToken = metricsToken !== null && sent !== undefined && sameSecret(sent, metricsToken)
  const { client } = exchangeOf(request)
  // By the name of this machine, too: a page of a foreign name that points here must not read along.
  if (!byToken && !(client.loopback && loopbackName.test(client.host)))
    throw new AppError('forbidden', say`Figures are for this machine and for holders of the token.`)
  return reply
    .header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
    .header('cache-control', noStore)
    .send(await options.health.metrics())
}
