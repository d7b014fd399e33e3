import type { FastifyRequest } from 'fastify'
import type { WireServices } from '../options.ts'
import { expiredCookies, hasOurCookies, sidOf, type Cookie } from '../request/cookies.ts'
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

/** The removal of the request's session cookies. */
export function removedCookies({ headers }: FastifyRequest, services: WireServices): readonly Cookie[] {
  return hasOurCookies(headers.cookie) && !services.replacedSids.has(sidOf(headers.cookie)) ? expiredCookies() : []
}
