import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '#shared/errors.ts'
import type { Session, SessionStore } from '#server/contracts/session.ts'
import { sameSecret } from '#server/platform/secrets/tokens.ts'
import { say } from '#shared/sentence.ts'
import { sidOf } from './cookies.ts'
import { guestSession, type RequestContext } from './request-context.ts'

/** Who a request comes from. */
export interface Identity {
  session: Session
  cookie: { sid: string; csrfToken: string } | null
  sessionExpired: boolean
}

/** Longest credentials that are looked up at all. */
const maxCredentials = 4096

/**
 * Finds the session of a request. With an `Authorization` header the cookie does not count; wrong credentials there are
 * refused (401) even for calls that guests may make. An unknown `sid` makes a guest.
 */
export async function identify(
  headers: IncomingHttpHeaders,
  ip: string,
  sessions: SessionStore,
  allowAuthorization = true,
): Promise<Identity> {
  const { authorization } = headers
  if (authorization !== undefined && allowAuthorization) {
    const session =
      authorization.length <= maxCredentials ? await sessions.resolveAuthorization(authorization, ip) : null
    if (session === null)
      throw new AppError('unauthorized', say`The credentials in the Authorization header are not valid.`)
    return { session, cookie: null, sessionExpired: false }
  }
  const sid = sidOf(headers.cookie)
  if (sid === null) return { session: guestSession(ip), cookie: null, sessionExpired: false }
  const found = sid.length <= maxCredentials ? await sessions.resolveCookie(sid, ip) : null
  if (found === null) return { session: guestSession(ip), cookie: null, sessionExpired: true }
  return { session: found.session, cookie: { sid, csrfToken: found.csrfToken }, sessionExpired: false }
}

/** Verbs that may change something. */
export function isUnsafe(verb: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(verb)
}

/** Throws 400 for an unsafe request whose `Origin`, when the browser sent one, is not ours. */
export function checkOrigin(verb: string, headers: IncomingHttpHeaders, ownOrigin: string): void {
  if (!isUnsafe(verb) || headers.origin === undefined || headers.origin === ownOrigin) return
  throw new AppError('csrf', say`Invalid Request`)
}

/**
 * Refuses forged requests: an unsafe one with a cookie session needs that session's token, and an `Origin`, when the
 * browser sent one, must be ours. Signing in is exempt from the token, callers with `Authorization` from both.
 */
export function checkForgery(
  verb: string,
  headers: IncomingHttpHeaders,
  context: RequestContext,
  ownOrigin: string,
): void {
  if (!isUnsafe(verb) || context.session.kind === 'token') return
  checkOrigin(verb, headers, ownOrigin)
  if (context.cookie === null || context.login) return
  const sent = headers['x-frappe-csrf-token'] ?? context.params['csrf_token']
  if (typeof sent !== 'string' || !sameSecret(sent, context.cookie.csrfToken))
    throw new AppError('csrf', say`Invalid Request`)
}
