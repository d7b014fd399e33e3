import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '#shared/errors.ts'
import type { Session, SessionStore } from '#server/contracts/session.ts'
import { sameSecret } from '#server/platform/secrets/tokens.ts'
import { msg } from '#shared/localized-message.ts'
import { sidOf } from './cookies.ts'
import { guestSession, type RequestContext } from './request-context.ts'

/** The caller of a request. */
export interface Identity {
  session: Session
  cookie: { sid: string; csrfToken: string } | null
  sessionExpired: boolean
}

/** Maximum length of credentials that are looked up. */
const maxCredentials = 4096

/**
 * Resolves the session of a request. An `Authorization` header takes precedence over the cookie, and invalid credentials
 * there are rejected (401) even for guest methods. An unknown `sid` results in a guest.
 */
export async function authenticate(
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
      throw new AppError('unauthorized', msg`The credentials in the Authorization header are not valid.`)
    return { session, cookie: null, sessionExpired: false }
  }
  const sid = sidOf(headers.cookie)
  if (sid === null) return { session: guestSession(ip), cookie: null, sessionExpired: false }
  const found = sid.length <= maxCredentials ? await sessions.resolveCookie(sid, ip) : null
  if (found === null) return { session: guestSession(ip), cookie: null, sessionExpired: true }
  return { session: found.session, cookie: { sid, csrfToken: found.csrfToken }, sessionExpired: false }
}

/** Verbs that may change data. */
export function isUnsafe(verb: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(verb)
}

/** Throws 400 for an unsafe request whose `Origin` header, if present, is not ours. */
export function checkOrigin(verb: string, headers: IncomingHttpHeaders, ownOrigin: string): void {
  if (!isUnsafe(verb) || headers.origin === undefined || headers.origin === ownOrigin) return
  throw new AppError('csrf', msg`Invalid Request`)
}

/**
 * Rejects forged requests: an unsafe request with a cookie session needs that session's CSRF token, and its `Origin`, if
 * present, must be ours. Login needs no token; callers with `Authorization` need neither.
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
    throw new AppError('csrf', msg`Invalid Request`)
}
