import type { FastifyRequest } from 'fastify'
import type { Upload } from '#server/contracts/files.ts'
import type { Session } from '#server/contracts/session.ts'
import { newNonce } from '../response/headers.ts'
import type { Client } from './client-address.ts'
import { deviceOf } from './cookies.ts'
import { parsePairs, type Params } from './parameters.ts'
import { splitTarget } from './request-target.ts'

/** Data about one request. The hooks fill it in, and route handlers read it. */
export interface RequestContext {
  readonly id: string
  readonly client: Client
  readonly userAgent: string
  /** `GET` also for `HEAD`. */
  readonly verb: string
  /** Percent-encoded, as sent. */
  readonly path: string
  /** As sent, without the question mark. */
  readonly query: string
  /** Query parameters, parsed at the first call. Throws 417 if they cannot be parsed. */
  readonly queryParams: () => Params
  session: Session
  /** The cookie session's secrets; null for guests and callers with an `Authorization` header. */
  cookie: { sid: string; csrfToken: string } | null
  /** Value of the device cookie. */
  device: string | null
  /** The header `Token`; null without it. */
  readonly machineToken: string | null
  /** The request named an expired session. */
  sessionExpired: boolean
  /** The method named in the path; null for other paths. */
  readonly addressedMethod: string | null
  /** Query and body merged into one set of parameters; empty until the body is read. */
  params: Params
  /** The request is about a document: denials have another shape then. */
  aboutDocument: boolean
  /** The request is a login. */
  login: boolean
  /** The uploaded file; removed before the response is sent, unless the method attached it. */
  upload: Upload | null
  /** Nonce of this response's content security policy. */
  readonly nonce: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first hook. */
    requestContext: RequestContext | null
  }
}

/** Opens the context of a request, as a guest. */
export function openContext(
  request: FastifyRequest,
  client: Client,
  addressedMethod: string | null = null,
): RequestContext {
  const { path, query } = splitTarget(request.raw.url ?? '/')
  let nonce: string | null = null
  let queryParams: Params | null = null
  const context: RequestContext = {
    id: request.id,
    client,
    userAgent: request.headers['user-agent'] ?? '',
    verb: request.method === 'HEAD' ? 'GET' : request.method,
    path,
    query,
    queryParams: () => (queryParams ??= parsePairs(query)),
    session: guestSession(client.ip),
    cookie: null,
    device: deviceOf(request.headers.cookie),
    machineToken: typeof request.headers['token'] === 'string' ? request.headers['token'].slice(0, 500) : null,
    sessionExpired: false,
    addressedMethod,
    params: {},
    aboutDocument: false,
    login: false,
    upload: null,
    // Only pages need one, and generating randomness is the slowest part of rejecting a request.
    get nonce() {
      nonce ??= newNonce()
      return nonce
    },
  }
  request.requestContext = context
  return context
}

/** The context of a request. Throws if the first hook did not run, which is a bug. */
export function contextOf(request: FastifyRequest): RequestContext {
  if (request.requestContext === null) throw new Error('The request has no context.')
  return request.requestContext
}

/** Whether a query contains `cmd`: the request then calls that method, at any address. */
export function hasCommand({ query, queryParams }: Pick<RequestContext, 'query' | 'queryParams'>): boolean {
  // The parameter name itself may be percent-encoded.
  return /cmd|%/.test(query) && typeof queryParams()['cmd'] === 'string'
}

/** The session of a guest. */
export function guestSession(ip: string): Session {
  return {
    user: 'Guest',
    kind: 'guest',
    organization: null,
    platformAdmin: false,
    verified: false,
    fullName: 'Guest',
    via: 'web',
    ip,
    id: null,
    reauthAt: null,
  }
}
