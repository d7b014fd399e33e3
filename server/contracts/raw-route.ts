import type { IncomingHttpHeaders } from 'node:http'

/** A request as received: the body isn't parsed and the caller isn't authenticated. */
export interface RawRequest {
  readonly headers: Readonly<IncomingHttpHeaders>
  /** The raw bytes, for example to verify a vendor's signature. */
  readonly body: Buffer
  /** Named path parameters, decoded; text that can be stored. */
  readonly params: Readonly<Record<string, string>>
  /** Raw query string, without the question mark. */
  readonly query: string
  /** IP address of the caller. */
  readonly ip: string
}

/** The response to a raw request. */
export interface RawResponse {
  readonly status: number
  /** Includes `content-type` if there is a body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/**
 * A route outside of Frappe's protocol, for machine callers (a vendor's webhook, an agent). It has no session and no CSRF
 * token: `run` authenticates the caller itself. If the request has an `Origin`, it must still be ours.
 */
export interface RawRoute {
  /** GET for a vendor's challenge of a webhook's address, and for agents that ask. */
  readonly verb: 'GET' | 'POST' | 'PUT'
  /** Fastify path syntax: `/hooks/vendor`, `/hooks/:server`. */
  readonly path: string
  /** Maximum body size in bytes; a larger body gets 413 before it is fully read. */
  readonly bodyLimit: number
  /** Maximum requests per IP address within any window of this many seconds; more get 429. */
  readonly rateLimit: { readonly limit: number; readonly seconds: number }
  /** Errors thrown as `AppError` are sent in Frappe's format. */
  run(request: RawRequest): Promise<RawResponse>
}
