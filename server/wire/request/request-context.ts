import type { FastifyRequest } from 'fastify'
import type { Upload } from '#server/contracts/files.ts'
import type { Session } from '#server/contracts/session.ts'
import { newNonce } from '../response/headers.ts'
import type { Client } from './client-address.ts'
import { deviceOf } from './cookies.ts'
import { parsePairs, type Params } from './parameters.ts'
import { splitTarget } from './request-target.ts'

/** What is known about one request. The hooks fill it in, route handlers read it. */
export interface RequestContext {
  readonly id: string
  readonly client: Client
  readonly userAgent: string
  /** `GET` for `HEAD`, too. */
  readonly verb: string
  /** Percent-encoded, as it was sent. */
  readonly path: string
  /** As it was sent, without the question mark. */
  readonly query: string
  /** Parameters of the query, parsed at the first call. Throws 417 if they cannot be parsed. */
  readonly queryParams: () => Params
  session: Session
  /** The cookie session's secrets; null for guests and callers with an `Authorization` header. */
  cookie: { sid: string; csrfToken: string } | null
  /** Value of the device cookie. */
  device: string | null
  /** The request named a session that has expired. */
  sessionExpired: boolean
  /** The method the address names; null at other addresses. */
  readonly addressedMethod: string | null
  /** Query and body as one set of parameters; empty until the body was read. */
  params: Params
  /** The request is about a document: denials then have another shape. */
  aboutDocument: boolean
  /** The request signs in. */
  login: boolean
  /** The file that came with the request; removed before the response is sent, unless the method attached it. */
  upload: Upload | null
  /** Random value of this response's content security policy. */
  readonly nonce: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set in the first hook. */
    requestContext: RequestContext | null
  }
}

/** Opens the context of a request: address read, nobody signed in yet. */
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

/** The context of a request. Throws if the first hook did not run, which is a defect. */
export function contextOf(request: FastifyRequest): RequestContext {
  if (request.requestContext === null) throw new Error('The request has no context.')
  return request.requestContext
}

/** Whether a query names a method by `cmd`: the request then calls that method, at any address. */
export function hasCommand({ query, queryParams }: Pick<RequestContext, 'query' | 'queryParams'>): boolean {
  // The name itself may be percent-encoded.
  return /cmd|%/.test(query) && typeof queryParams()['cmd'] === 'string'
}

/** The session of a caller who is not signed in. */
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
