import type { FastifyRequest, FastifyServerOptions, HTTPMethods } from 'fastify'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { checkText } from '#server/documents/store/json-values.ts'
import { maxHeaderSize } from '../connections/guarded-server.ts'
import { routedTarget, splitTarget } from '../request/request-target.ts'
import { pageNotFound } from '../response/page-not-found.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the address names in the API; its requests are counted against the limit of calls and may use API tokens. */
    api?: 'method' | 'document' | 'nothing'
    /** Reading it takes no session and no parameters, by the path where that decides. */
    isPublic?: boolean | ((path: string) => boolean)
    /** API tokens are accepted outside of the API, too. */
    takesTokens?: boolean
    /** A feature's own route outside of the protocol: no session, no parameters, no `cmd`. */
    isRaw?: boolean
  }
}

/** Reading requests. `HEAD` is a `GET` whose body Node leaves out. */
export const readingVerbs: HTTPMethods[] = ['GET', 'HEAD']

/** The verbs of Frappe's protocol. */
export const frappeVerbs: HTTPMethods[] = [...readingVerbs, 'POST', 'PUT', 'PATCH', 'DELETE']

/** How addresses find their route. */
export const routing = {
  routerOptions: {
    // Parameters are parsed by the wire's own rules, once, and only where a route needs them.
    querystringParser: () => ({}),
    // Names are limited by the documents' fields; the router has no limit below that of a request's head.
    maxParamLength: maxHeaderSize,
  },
  rewriteUrl: ({ url }) => routedTarget(url ?? '/'),
  // `HEAD` stands beside `GET` in our routes: Fastify's own route for it would take the length of a download away.
  exposeHeadRoutes: false,
} satisfies FastifyServerOptions

/** An address with and without a slash at the end. */
export const withSlash = (url: string): readonly string[] => [url, `${url}/`]

/**
 * Throws 404 if the fixed beginning of a route was sent percent-encoded: the router decodes it, but proxies in front
 * that close an address compare it as it is sent.
 */
export function checkFixedPart(request: FastifyRequest): void {
  const [fixed = ''] = (request.routeOptions.url ?? '').split(/[:*]/, 1)
  if (!splitTarget(request.raw.url ?? '/').path.startsWith(fixed)) throw pageNotFound()
}

/** A parameter of an address, decoded. Throws 404 if it is empty and 417 for text that cannot be stored. */
export function nameInAddress(text: string): string {
  if (text === '') throw pageNotFound()
  checkText(text)
  return text
}

/**
 * The end of an address, decoded, without the slashes behind it; one that was sent percent-encoded belongs to the name.
 * `path` is the address as it was sent.
 */
export function restOfAddress(rest: string, path: string): string {
  return nameInAddress(rest.slice(0, rest.length - (path.length - trimEnd(path, '/').length)))
}
