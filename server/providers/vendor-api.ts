import type * as z from 'zod/mini'
import type { FetchOptions, FetchResponse } from '#server/platform/network/fetch.ts'
import { AppError } from '#shared/errors.ts'
import { parseJson } from '#shared/parse-json.ts'
import { ProviderError, vendorText } from './provider-error.ts'

/** What vendors are reached with; replaced in tests so that none of them waits. */
export interface VendorTransport {
  /** Sends one request through the guarded fetch, with a deadline of its own. */
  ask(
    url: URL,
    options: Pick<FetchOptions, 'method' | 'headers' | 'body' | 'maxBytes' | 'signal' | 'timeoutMs'>,
  ): Promise<FetchResponse>
  /** Milliseconds since the epoch. */
  now(): number
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 to 1. */
  random(): number
}

/** The HTTP API of a vendor for one account. */
export interface VendorApi {
  readonly transport: VendorTransport
  /** Name of the vendor in messages. */
  readonly vendor: string
  /** Base URL without trailing slash: the operator's setting or the vendor's own, never an organization's. */
  readonly endpoint: string
  /** Removed from everything the vendor says. */
  readonly secrets: readonly string[]
  headers(request: { method: string; url: URL; body: string }): Promise<Record<string, string>>
  /** Interprets an answer that is no success. */
  failureOf(response: FetchResponse): ProviderError
}

export interface VendorRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** Path below the endpoint. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: string
  /** Attempts in all. Default 5, but 1 for POST: what creates is only repeated by `createOnce`. */
  readonly tries?: number
  /** Default 4 MiB: a page of a vendor's price list. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal | undefined
}

const maxTries = 5
const maxPages = 200
const defaultMaxBytes = 4 * 1024 * 1024
/** How long what is new may be missing in lists; a guess, the vendors say nothing. */
export const listLagMs = 3000
/** Longer waits are left to the caller, who knows when to come back from the error. */
const longestWaitMs = 60_000

/** Sends a request and repeats it while that can help. Returns successes only. */
export async function sendRequest(api: VendorApi, request: VendorRequest): Promise<FetchResponse> {
  const { method = 'GET', path, query = {}, body = '', maxBytes = defaultMaxBytes, signal } = request
  const url = new URL(`${api.endpoint}${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const tries = request.tries ?? (method === 'POST' ? 1 : maxTries)
  return withRetries(api.transport, { tries, signal }, async () => {
    signal?.throwIfAborted()
    const headers = await api.headers({ method, url, body })
    const response = await api.transport.ask(url, {
      method,
      headers,
      maxBytes,
      ...(body !== '' && { body }),
      ...(signal && { signal }),
    })
    if (response.status < 200 || response.status >= 300) throw api.failureOf(response)
    return response
  })
}

/** Repeats an attempt that fails with a retryable error, after the wait the vendor asked for or a random, growing one. */
async function withRetries<T>(
  transport: VendorTransport,
  { tries, signal }: { tries: number; signal: AbortSignal | undefined },
  attempt: () => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt()
    } catch (error) {
      const wait = number < tries ? waitBefore(error, number, transport.random) : null
      if (wait === null) throw error
      await transport.sleep(wait, signal)
    }
  }
}

/** Exponential from 1 s with full jitter. Null: do not repeat. */
function waitBefore(error: unknown, attempt: number, random: () => number): number | null {
  if (!(error instanceof AppError) || !error.retryable) return null
  if (error.retryAfterSeconds === undefined) return random() * Math.min(longestWaitMs, 1000 * 2 ** (attempt - 1))
  const wait = error.retryAfterSeconds * 1000
  return wait > longestWaitMs ? null : wait
}

/**
 * Creates something at most once. `find` looks for what an earlier attempt made, `create` is one POST. After an answer that
 * leaves open whether it was made (none at all, or an error of the vendor's own) it is looked for before anything else.
 */
export async function createOnce<T>(
  api: VendorApi,
  { find, create }: { find: () => Promise<T | null>; create: () => Promise<T> },
  signal: AbortSignal | undefined,
): Promise<T> {
  return withRetries(api.transport, { tries: maxTries, signal }, async () => {
    const before = await find()
    if (before !== null) return before
    try {
      return await create()
    } catch (error) {
      const made = mayBeDone(error) ? await find() : null
      if (made !== null) return made
      throw error
    }
  })
}

/** Whether the request may have been carried out although it failed. Refusals before the vendor did anything are 4xx. */
function mayBeDone(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  return !(error instanceof ProviderError) || error.kind === 'conflict' || error.status < 400 || error.status >= 500
}

/** All items of a list with pages. A page is named by a cursor; `next` is null after the last one. */
export async function collectPages<T>(
  api: VendorApi,
  first: string,
  readPage: (cursor: string) => Promise<{ items: readonly T[]; next: string | null }>,
): Promise<T[]> {
  const all: T[] = []
  const read = new Set<string>()
  for (let cursor: string | null = first; cursor !== null;) {
    // An incomplete list would be worse than none: what is missing could be taken for deleted.
    if (read.has(cursor) || read.size === maxPages) throw unexpected(api, 200, 'The list does not end.')
    read.add(cursor)
    const page: { items: readonly T[]; next: string | null } = await readPage(cursor)
    all.push(...page.items)
    cursor = page.next
  }
  return all
}

/** All items of a list with numbered pages, which is in the field `name` of an answer; `nextOf` finds the next page in it. */
export async function readNumbered<T, P extends Record<string, unknown>>(
  api: VendorApi,
  request: VendorRequest,
  {
    name,
    perPage,
    page,
    nextOf,
  }: { name: string; perPage: string; page: z.ZodMiniType<P>; nextOf: (body: P) => string | null },
  items: z.ZodMiniType<readonly T[]>,
): Promise<T[]> {
  return collectPages(api, '1', async (cursor) => {
    const query = { ...request.query, page: cursor, per_page: perPage }
    const response = await sendRequest(api, { ...request, query })
    const body = readJson(api, response, page)
    return { items: validated(api, response, items, body[name]), next: nextOf(body) }
  })
}

/** Headers of a request with a token and, if any, a JSON body. */
export const tokenHeaders =
  (token: string): VendorApi['headers'] =>
  async ({ body }) => ({
    authorization: `Bearer ${token}`,
    ...(body !== '' && { 'content-type': 'application/json' }),
  })

/** A success whose content is not what the vendor documents. `problem` is for the log. */
function unexpected(api: VendorApi, status: number, problem: string): ProviderError {
  return new ProviderError('unexpected', { vendor: api.vendor, status, cause: new Error(problem) })
}

/** Checks a part of an answer. Unknown fields are ignored. */
export function validated<T>(api: VendorApi, response: FetchResponse, schema: z.ZodMiniType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = vendorText(issue?.path.join('.'))
  throw unexpected(api, response.status, `Not the documented shape at "${path}": ${issue?.code}`)
}

/** The answer's JSON in a known shape. */
export function readJson<T>(api: VendorApi, response: FetchResponse, schema: z.ZodMiniType<T>): T {
  return validated(api, response, schema, parseJson(response.body.toString('utf8')))
}

/** Reads one thing. */
export async function readOne<T>(api: VendorApi, request: VendorRequest, schema: z.ZodMiniType<T>): Promise<T> {
  return readJson(api, await sendRequest(api, request), schema)
}

/** What a read finds; null if the vendor doesn't have it. */
export async function nullIfMissing<T>(read: Promise<T>): Promise<T | null> {
  return read.catch((error: unknown) => {
    if (error instanceof ProviderError && error.kind === 'not_found') return null
    throw error
  })
}

/** A vendor's words, as `vendorText`, without the account's secrets. */
export function wordsOf(secrets: readonly string[], value: unknown): string {
  if (typeof value !== 'string') return ''
  return vendorText(
    secrets.filter((secret) => secret !== '').reduce((text, one) => text.replaceAll(one, '*****'), value),
  )
}
