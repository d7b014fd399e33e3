import type { FastifyRequest } from 'fastify'
import type { WireServices } from '../options.ts'
import { expiredCookies, hasOurCookies, missingCookies, sidOf, type Cookie } from '../request/cookies.ts'
import { contextOf } from '../request/request-context.ts'

/**
 * The cookies of a response that sets none of its own: those of the session, or their removal if the caller is a guest now. None
 * if the request's sid was replaced meanwhile: the browser has a newer one, and a response that arrives late must not change it.
 */
export async function defaultCookies(request: FastifyRequest, services: WireServices): Promise<readonly Cookie[]> {
  const { session, cookie } = contextOf(request)
  if (cookie !== null) return services.replacedSids.has(cookie.sid) ? [] : services.cookies(session, cookie.sid)
  return session.kind === 'guest' ? removedCookies(request, services) : []
}

/**
 * Like `defaultCookies`, without those of the session that the browser has already: set with every call they were 8 % of the
 * price of a small one. Pages set all of them, so that attributes are those of the current settings, too.
 */
export async function changedCookies(request: FastifyRequest, services: WireServices): Promise<readonly Cookie[]> {
  const cookies = await defaultCookies(request, services)
  return contextOf(request).cookie === null ? cookies : missingCookies(request.headers.cookie, cookies)
}

/** The removal of the request's session cookies. */
export function removedCookies({ headers }: FastifyRequest, services: WireServices): readonly Cookie[] {
  return hasOurCookies(headers.cookie) && !services.replacedSids.has(sidOf(headers.cookie)) ? expiredCookies() : []
}
