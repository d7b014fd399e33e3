import type { FastifyRequest, FastifyServerOptions, HTTPMethods } from 'fastify'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { checkText } from '#server/platform/json-values.ts'
import { maxHeaderSize } from '../connections/connection-limits.ts'
import { routedTarget, splitTarget } from '../request/request-target.ts'
import { pageNotFound } from '../response/page-not-found.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Kind of API route; its requests count against the rate limit and may use API tokens. */
    api?: 'method' | 'document' | 'upload' | 'nothing'
    /** Reading needs no session and no parameters; a function decides by path. */
    isPublic?: boolean | ((path: string) => boolean)
    /** Accepts API tokens although it is outside of the API. */
    takesTokens?: boolean
    /** A feature's own route outside of the protocol: no session, no parameters, no `cmd`. */
    isRaw?: boolean
    /** The handler reads the body as it arrives, and limits it: it holds no parameters and no `cmd`. */
    isStreamed?: boolean
  }
}

/** Verbs of read requests. `HEAD` is a `GET` whose body Node omits. */
export const readingVerbs: HTTPMethods[] = ['GET', 'HEAD']

/** The verbs of Frappe's protocol. */
export const frappeVerbs: HTTPMethods[] = [...readingVerbs, 'POST', 'PUT', 'PATCH', 'DELETE']

/** Router settings. */
export const routerSettings = {
  routerOptions: {
    // Parameters are parsed by our own rules, once, and only if a route needs them.
    querystringParser: () => ({}),
    // Document fields limit names; the router has no lower limit than that of the request head.
    maxParamLength: maxHeaderSize,
  },
  rewriteUrl: ({ url }) => routedTarget(url ?? '/'),
  // Our routes handle `HEAD` together with `GET`: Fastify's own HEAD route would drop a download's length.
  exposeHeadRoutes: false,
} satisfies FastifyServerOptions

/** A path with and without trailing slash. */
export const withSlash = (url: string): readonly string[] => [url, `${url}/`]

/**
 * Throws 404 if the fixed part of a route was sent percent-encoded: the router decodes it, but proxies that block a path
 * compare it as sent.
 */
export function checkFixedPart(request: FastifyRequest): void {
  const [fixed = ''] = (request.routeOptions.url ?? '').split(/[:*]/, 1)
  if (!splitTarget(request.raw.url ?? '/').path.startsWith(fixed)) throw pageNotFound()
}

/** Checks a decoded path parameter. Throws 404 if it is empty and 417 for text that cannot be stored. */
export function nameInPath(text: string): string {
  if (text === '') throw pageNotFound()
  checkText(text)
  return text
}

/**
 * The decoded rest of a path without trailing slashes; percent-encoded slashes belong to the name. `path` is the path as
 * sent.
 */
export function restOfPath(rest: string, path: string): string {
  return nameInPath(rest.slice(0, rest.length - (path.length - trimEnd(path, '/').length)))
}
