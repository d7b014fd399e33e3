import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { takesFile } from '../files/read-multipart.ts'
import type { WireServices } from '../options.ts'
import { authenticate, isUnsafe } from '../request/authenticate.ts'
import { assertBodyLimit } from '../request/body-limits.ts'
import { contextOf, hasCommand } from '../request/request-context.ts'

/** Methods that every page calls: they do not count against the rate limit. */
const whoami: ReadonlySet<string> = new Set(['frappe.auth.get_logged_user', 'get_logged_user'])

/**
 * Identifies the caller, rejects bodies that are too large for them, and counts the call. Runs before the body is read, so
 * that guests cannot make us read much.
 */
export function identifyCallers(app: FastifyInstance, services: WireServices): void {
  app.addHook('onRequest', async (request) => {
    const context = contextOf(request)
    if (request.routeOptions.config.isRaw || isPublicRead(request)) return
    const { api, isStreamed = false, takesTokens = false } = request.routeOptions.config
    const isCall = api !== undefined || isUnsafe(request.method) || hasCommand(context)
    const { client, addressedMethod } = context
    Object.assign(context, await authenticate(request.headers, client.ip, services.sessions, isCall || takesTokens))
    const { session } = context
    if (!isStreamed)
      assertBodyLimit(request.headers, { isGuest: session.kind === 'guest', takesFile: takesFile(addressedMethod) })
    if (isCall && !isSessionRead(request))
      await countCall(services, session.user === 'Guest' ? { address: client.ip } : session.user)
  })
}

/** Whether a request only reads something that is the same for everybody. */
export function isPublicRead(request: FastifyRequest): boolean {
  const context = contextOf(request)
  const { isPublic = false } = request.routeOptions.config
  return (
    !isUnsafe(request.method) &&
    (typeof isPublic === 'boolean' ? isPublic : isPublic(context.path)) &&
    // `cmd` turns any request into a call.
    !hasCommand(context)
  )
}

/** Only a plain read: `cmd` in the query or body could name any method at this address. */
function isSessionRead(request: FastifyRequest): boolean {
  const context = contextOf(request)
  const { addressedMethod } = context
  return addressedMethod !== null && whoami.has(addressedMethod) && !isUnsafe(request.method) && !hasCommand(context)
}

async function countCall({ rateLimiter }: WireServices, caller: string | { address: string }): Promise<void> {
  try {
    await rateLimiter.hit('api_user', caller)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
    throw new AppError('rate_limited', error.localized, {
      excType: 'TooManyRequestsError',
      retryAfterSeconds: error.retryAfterSeconds ?? 60,
      ...(error.nextAction === undefined ? {} : { nextAction: error.nextAction }),
      retryable: true,
      cause: error,
    })
  }
}
