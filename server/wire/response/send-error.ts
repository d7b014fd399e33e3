import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { setCookies, type Cookie } from '../request/cookies.ts'
import { changedCookies, removedCookies } from './default-cookies.ts'
import { errorResponse, type ErrorResponse } from './error-response.ts'
import { newNonce, noStore, pagePolicy } from './headers.ts'
import { plainPage } from '../pages/plain-page.ts'
import type { WireServices } from '../options.ts'
import { isApiPath, splitTarget } from '../request/request-target.ts'
import { MethodNotAllowedError } from './method-not-allowed.ts'
import { pageNotFound } from './page-not-found.ts'

/** Whether a failed request gets JSON; all others get a page (wire contract, section 1). */
export function wantsJson(request: Pick<FastifyRequest, 'headers'>, path: string): boolean {
  const accept = request.headers.accept ?? ''
  if (accept.includes('application/json') || request.headers['x-requested-with'] === 'XMLHttpRequest') return true
  return isApiPath(path) && !accept.trimStart().startsWith('text')
}

/** Converts errors that Fastify and its plugins raise with their own status to AppErrors; other errors pass unchanged. */
function translate(error: unknown, path: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code, statusCode } = error as Partial<FastifyError>
  // Inside an API call, an error with a status may be a vendor's response to us: that is our error, not the caller's.
  if (!code?.startsWith('FST_') && isApiPath(path)) return error
  if (statusCode === 413) return new AppError('too_large', msg`The request is too large.`, { cause: error })
  if (statusCode === 415) {
    return new AppError('invalid', msg`Send JSON, a form or multipart.`, {
      excType: 'UnsupportedMediaType',
      cause: error,
    })
  }
  if (statusCode === 404 || statusCode === 403) return pageNotFound(error)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new AppError('invalid', msg`The request is not valid.`, { cause: error })
  return error
}

/** Whether the caller disconnected while the body was read: not an error, and there is nobody to respond to. */
function isDisconnect(error: unknown, request: FastifyRequest): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && request.raw.destroyed
}

/** Sends an error in Frappe's shape and logs internal errors. */
export async function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  services: WireServices,
): Promise<void> {
  const { requestContext: context } = request
  const { path } = splitTarget(request.raw.url ?? '/')
  if (isDisconnect(error, request)) {
    reply.hijack()
    reply.raw.destroy()
    return
  }
  const cause = translate(error, path)
  const response = errorResponse(cause, {
    requestId: request.id,
    aboutDocument: context?.aboutDocument ?? false,
    login: context?.login ?? false,
    sessionExpired: context?.sessionExpired ?? false,
  })
  if (response.defect)
    services.log.error('A request failed', { error: cause, requestId: request.id, verb: request.method, path })
  reply.code(response.status).headers(response.headers).header('cache-control', noStore)
  if (cause instanceof MethodNotAllowedError) reply.header('allow', cause.allow)
  if (response.body['exc_type'] === 'TooManyRequestsError') {
    reply.headers({
      'x-ratelimit-limit': String(services.config.rateLimits.api_user.limit),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': response.headers['retry-after'] ?? '60',
    })
  }
  const guest = context === null || context.session.kind === 'guest'
  if (guest && (context?.sessionExpired || response.status === 401)) {
    setCookies(reply, removedCookies(request, services))
  } else if (context?.cookie) setCookies(reply, await sessionCookiesOf(request, services))
  if (wantsJson(request, path)) {
    await reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(response.body))
    return
  }
  const nonce = context?.nonce ?? newNonce()
  await reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', pagePolicy(services.config, nonce))
    .send(failurePage(response, services.config.productName, nonce))
}

/** The session cookies that every response carries; none if the user's profile cannot be loaded. */
async function sessionCookiesOf(request: FastifyRequest, services: WireServices): Promise<readonly Cookie[]> {
  try {
    return await changedCookies(request, services)
  } catch (error) {
    services.log.debug('The cookies of a failed request could not be made', { error })
    return []
  }
}

const titles: Record<number, string> = {
  401: 'Not logged in',
  403: 'Not allowed',
  404: 'Page not found',
  410: 'No longer here',
  413: 'Too large',
  429: 'Too many requests',
  503: 'Busy',
  500: 'Something went wrong',
}

function failurePage(response: ErrorResponse, productName: string, nonce: string): string {
  const next = response.body['next_action']
  return plainPage({
    title: titles[response.status] ?? 'The request failed',
    text: typeof next === 'string' ? [response.message, next] : [response.message],
    link: { href: '/web', label: `Go to ${productName}` },
    productName,
    nonce,
  })
}
