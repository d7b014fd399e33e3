import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'
import { expiredCookies, hasOurCookies, setCookies, type Cookie } from '../request/cookies.ts'
import { errorAnswer, type ErrorAnswer } from './error-response.ts'
import type { Exchange } from '../request/request-context.ts'
import { newNonce, noStore, pagePolicy } from './headers.ts'
import { plainPage } from '../pages/plain-page.ts'
import type { WireOptions } from '../options.ts'
import { isApiPath, splitTarget } from '../request/request-target.ts'
import { VerbError } from '../routes/resource-routes.ts'
import type { SessionCookies } from './session-cookies.ts'

/** Whether a failed request gets JSON; everybody else gets a page (wire contract, section 1). */
export function wantsJson(request: Pick<FastifyRequest, 'headers'>, path: string): boolean {
  const accept = request.headers.accept ?? ''
  if (accept.includes('application/json') || request.headers['x-requested-with'] === 'XMLHttpRequest') return true
  return isApiPath(path) && !accept.trimStart().startsWith('text')
}

/** The failure of an address that is no page. */
export function pageNotFound(cause?: unknown): AppError {
  return new AppError('not_found', say`There is nothing at this address.`, { excType: 'PageDoesNotExistError', cause })
}

/** What Fastify and its plugins refuse by a status of their own, as errors of ours; other errors pass unchanged. */
function translated(error: unknown, path: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code, statusCode } = error as Partial<FastifyError>
  // Inside a call an error with a status may as well be a vendor's answer to us: that is a defect, not the caller's fault.
  if (!code?.startsWith('FST_') && isApiPath(path)) return error
  if (statusCode === 413) return new AppError('too_large', say`The request is too large.`, { cause: error })
  if (statusCode === 415) {
    return new AppError('invalid', say`Send JSON, a form or multipart.`, {
      excType: 'UnsupportedMediaType',
      cause: error,
    })
  }
  if (statusCode === 404 || statusCode === 403) return pageNotFound(error)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new AppError('invalid', say`The request is not valid.`, { cause: error })
  return error
}

/** Whether the caller hung up while the body was read: nobody's fault, and nobody is there for an answer. */
function isHangUp(error: unknown, request: FastifyRequest): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && request.raw.destroyed
}

/** Sends what went wrong in Frappe's shape, and writes defects into the log. */
export async function sendFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: WireOptions,
  cookies: SessionCookies,
): Promise<void> {
  const { exchange } = request
  const { path } = splitTarget(request.raw.url ?? '/')
  if (isHangUp(error, request)) {
    reply.hijack()
    reply.raw.destroy()
    return
  }
  const cause = translated(error, path)
  const answer = errorAnswer(cause, {
    requestId: request.id,
    aboutDocument: exchange?.aboutDocument ?? false,
    login: exchange?.login ?? false,
    sessionExpired: exchange?.sessionExpired ?? false,
  })
  if (answer.defect)
    options.log.error('A request failed', { error: cause, requestId: request.id, verb: request.method, path })
  reply.code(answer.status).headers(answer.headers).header('cache-control', noStore)
  if (cause instanceof VerbError) reply.header('allow', cause.allow)
  if (answer.body['exc_type'] === 'TooManyRequestsError') {
    reply.headers({
      'x-ratelimit-limit': String(options.config.rateLimits.api_user.limit),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': answer.headers['retry-after'] ?? '60',
    })
  }
  const guest = exchange === null || exchange.session.kind === 'guest'
  if (guest && (exchange?.sessionExpired || answer.status === 401) && hasOurCookies(request.headers.cookie)) {
    setCookies(reply, expiredCookies())
  } else if (exchange?.cookie) setCookies(reply, await cookiesAgain(exchange, options, cookies))
  if (wantsJson(request, path)) {
    await reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(answer.body))
    return
  }
  const nonce = exchange?.nonce ?? newNonce()
  await reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', pagePolicy(options.config, nonce))
    .send(failurePage(answer, options.config.productName, nonce))
}

/** The session's cookies, which every answer carries; none while the store that knows the user's facts is away. */
async function cookiesAgain(exchange: Exchange, options: WireOptions, cookies: SessionCookies): Promise<Cookie[]> {
  try {
    return exchange.cookie === null ? [] : await cookies(exchange.session, exchange.cookie.sid)
  } catch (error) {
    options.log.debug('The cookies of a failed request could not be made', { error })
    return []
  }
}

const titles: Record<number, string> = {
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Page not found',
  410: 'No longer here',
  413: 'Too large',
  429: 'Too many requests',
  503: 'Busy',
  500: 'Something went wrong',
}

function failurePage(answer: ErrorAnswer, productName: string, nonce: string): string {
  const next = answer.body['next_action']
  return plainPage({
    title: titles[answer.status] ?? 'The request failed',
    text: typeof next === 'string' ? [answer.message, next] : [answer.message],
    link: { href: '/web', label: `Go to ${productName}` },
    productName,
    nonce,
  })
}
