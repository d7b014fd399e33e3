import type { FastifyRequest } from 'fastify'
import type { Upload } from '#server/contracts/files.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Client } from './client-address.ts'
import { parsePairs, type Params } from './parameters.ts'

/** What is known about one request before it is answered. */
export interface Exchange {
  readonly id: string
  readonly client: Client
  readonly path: string
  /** As it stands in the address, without the question mark. */
  readonly query: string
  /** Parameters of the query, read once and only when somebody asks. Throws 417 when they cannot be read. */
  readonly queryParams: () => Params
  session: Session
  /** The cookie session's secrets; null for guests and callers with an `Authorization` header. */
  cookie: { sid: string; csrfToken: string } | null
  /** Value of the device cookie. */
  device: string | null
  /** The request named a session that is over. */
  sessionExpired: boolean
  /** The call is about a document: refusals then have another shape. */
  aboutDocument: boolean
  /** The call is a sign-in. */
  login: boolean
  /** The file that came with the request; removed when it was answered, unless the method attached it. */
  upload: Upload | null
  /** Random value of this answer's content security policy. */
  readonly nonce: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the wire for every request it answers itself. */
    exchange: Exchange | null
  }
}

/** The exchange of a request; a defect when the wire did not open one. */
export function exchangeOf(request: FastifyRequest): Exchange {
  if (request.exchange === null) throw new Error('The request has no exchange.')
  return request.exchange
}

/** The parameters of a query, read at the first call. */
export function queryReader(query: string): () => Params {
  let params: Params | null = null
  return () => (params ??= parsePairs(query))
}

/** Whether a query names a method by `cmd`: the request is a call then, at any address. */
export function hasCommand({ query, queryParams }: Pick<Exchange, 'query' | 'queryParams'>): boolean {
  // The name itself may be percent-encoded.
  return /cmd|%/.test(query) && typeof queryParams()['cmd'] === 'string'
}

/** The session of somebody who is not signed in. */
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
