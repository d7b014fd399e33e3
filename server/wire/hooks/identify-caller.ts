import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { takesFile } from '../files/read-multipart.ts'
import type { WireServices } from '../options.ts'
import { identify, isUnsafe } from '../request/authenticate.ts'
import { refuseLargeBody } from '../request/body-limits.ts'
import { contextOf, hasCommand } from '../request/request-context.ts'

/** The methods every page calls: they are not counted against the limit of calls. */
const whoami: ReadonlySet<string> = new Set(['frappe.auth.get_logged_user', 'get_logged_user'])

/**
 * Finds out who calls, refuses bodies that are too large for them, and counts the call. Runs before the body is read, so
 * that strangers cannot make us read much.
 */
export function identifyCallers(app: FastifyInstance, services: WireServices): void {
  app.addHook('onRequest', async (request) => {
    const context = contextOf(request)
    if (request.routeOptions.config.isRaw || isPublicRead(request)) return
    const { api, takesTokens = false } = request.routeOptions.config
    const isCall = api !== undefined || isUnsafe(request.method) || hasCommand(context)
    const { client, addressedMethod } = context
    Object.assign(context, await identify(request.headers, client.ip, services.sessions, isCall || takesTokens))
    const { session } = context
    refuseLargeBody(request.headers, { isGuest: session.kind === 'guest', takesFile: takesFile(addressedMethod) })
    if (isCall && !isWhoami(request))
      await countCall(services, session.user === 'Guest' ? { address: client.ip } : session.user)
  })
}

/** Whether a request is only a plain read of something that is the same for everybody. */
export function isPublicRead(request: FastifyRequest): boolean {
  const context = contextOf(request)
  const { isPublic = false } = request.routeOptions.config
  return (
    !isUnsafe(request.method) &&
    (typeof isPublic === 'boolean' ? isPublic : isPublic(context.path)) &&
    // `cmd` makes a call of any request.
    !hasCommand(context)
  )
}

/** Only a plain read: `cmd` in query or body could name any method at this address. */
function isWhoami(request: FastifyRequest): boolean {
  const context = contextOf(request)
  const { addressedMethod } = context
  return addressedMethod !== null && whoami.has(addressedMethod) && !isUnsafe(request.method) && !hasCommand(context)
}

async function countCall({ rateLimiter }: WireServices, caller: string | { address: string }): Promise<void> {
  try {
    await rateLimiter.hit('api_user', caller)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
    throw new AppError('rate_limited', error.sentence, {
      excType: 'TooManyRequestsError',
      retryAfterSeconds: error.retryAfterSeconds ?? 60,
      ...(error.nextAction === undefined ? {} : { nextAction: error.nextAction }),
      retryable: true,
      cause: error,
    })
  }
}
