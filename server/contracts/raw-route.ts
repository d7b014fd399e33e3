import type { IncomingHttpHeaders } from 'node:http'

/** A request as it arrived: its body is not parsed and its caller is not known. */
export interface RawRequest {
  readonly headers: Readonly<IncomingHttpHeaders>
  /** The bytes that were sent, e.g. for the signature a vendor computed over them. */
  readonly body: Buffer
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** What follows the question mark, as it was sent. */
  readonly query: string
  /** Address of the caller. */
  readonly ip: string
}

/** The response to a raw request. */
export interface RawResponse {
  readonly status: number
  /** `content-type` among them if there is a body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/**
 * An address outside of Frappe's protocol, for callers that are machines (a vendor's webhook, an agent). It has no
 * session and no CSRF token: `run` authenticates its caller itself. An `Origin` that is sent must be ours all the same.
 */
export interface RawRoute {
  readonly verb: 'POST' | 'PUT'
  /** Fastify's form: `/hooks/vendor`, `/hooks/:server`. */
  readonly path: string
  /** Most bytes of a body; a larger one gets 413 before it is read to its end. */
  readonly bodyLimit: number
  /** Most requests of one address within any window of so many seconds; more get 429. */
  readonly rateLimit: { readonly limit: number; readonly seconds: number }
  /** Errors it throws as `AppError` are sent in Frappe's shape. */
  run(request: RawRequest): Promise<RawResponse>
}
