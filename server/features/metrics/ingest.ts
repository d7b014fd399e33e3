import * as z from 'zod/mini'
import type { RawRequest, RawRoute } from '#server/contracts/raw-route.ts'
import type { Session } from '#server/contracts/session.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { parseJson } from '#shared/parse-json.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { sentSample, type SentSample } from '#shared/responses/server-metrics.ts'
import { metricInterval, mostSamples } from '#shared/rules/metric-ranges.ts'
import type { MetricsContext } from './metrics-context.ts'
import { splitToken } from './metrics-token.ts'
import { storeSamples } from './store-samples.ts'

/** How far the clock of a server may be ahead, and how old a sample may be, in seconds. */
const [mostAhead, mostBack] = [metricInterval, mostSamples * metricInterval]

/** Fits a list of the most samples, written without spaces. */
const bodyLimit = 2 * 1024 * 1024

const sampleList = z.array(sentSample).check(z.maxLength(mostSamples))

/** Where agents of servers send their samples: one, or a list of those that could not be sent before. */
export function ingestRoute(context: MetricsContext): RawRoute {
  return {
    verb: 'POST',
    path: '/hooks/metrics',
    bodyLimit,
    // A thousand servers behind one address.
    rateLimit: { limit: 1200, seconds: 300 },
    async run(request) {
      const session = await identify(context, request)
      await context.rateLimiter.hit('metrics_server', session.user)
      const samples = parseSamples(request.body.toString('utf8'))
      const stored = await storeSent(context, session, session.machine ?? '', samples)
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: { stored, ignored: samples.length - stored } }),
      }
    },
  }
}

async function identify({ machineTokens }: MetricsContext, { headers, ip }: RawRequest): Promise<Session> {
  const given = /^Bearer ([^\s]{1,100})$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  const { server, secret } = splitToken(given)
  const session = await machineTokens.resolve({ kind: 'server', name: server }, secret, ip)
  if (!session)
    throw new AppError('unauthorized', msg`The metrics token is missing or no longer valid.`, {
      nextAction: msg`Send the token of this server as “Authorization: Bearer TOKEN”. Owners and admins create it.`,
    })
  return session
}

/** The samples in a text. Throws `invalid` with the field that can't be right. */
export function parseSamples(content: string): SentSample[] {
  const json = parseJson(content)
  // Not one schema for both: the error has to name the value.
  const parsed = Array.isArray(json) ? sampleList.safeParse(json) : sentSample.safeParse(json)
  if (parsed.success) return [parsed.data].flat()
  const field = parsed.error.issues[0]?.path.join('.') ?? ''
  if (field === '') throw new AppError('invalid', msg`Send a sample as JSON, or a list of at most ${mostSamples}.`)
  throw new AppError('invalid', msg`“${field}” is missing or out of range.`, { field })
}

/** Stores samples of a server as far as it may send them. Returns how many were stored. */
export async function storeSent(
  context: MetricsContext,
  session: Session,
  name: string,
  samples: readonly SentSample[],
): Promise<number> {
  const now = context.clock.now() / 1000
  return context.documents().transaction(session, async (tx) => {
    const server = await tx.get(ServerDoctype, name)
    if (!server) throw new AppError('not_found', msg`The server was removed.`)
    const own = [name, server.hostname.toLowerCase()]
    const foreign = samples.map(({ instance = name }) => instance).find((one) => !own.includes(one.toLowerCase()))
    if (foreign !== undefined)
      throw new AppError('forbidden', msg`The token is not that of ${foreign}.`, {
        field: 'instance',
        excType: 'PermissionError',
        nextAction: msg`Use the token of that server, or send “${server.hostname}” as the instance.`,
      })
    const timely = samples.filter(({ timestamp }) => timestamp <= now + mostAhead && timestamp >= now - mostBack)
    return timely.length === 0 ? 0 : storeSamples(tx, [name], timely)
  })
}
