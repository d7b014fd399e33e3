import { ApiError, errorFromBody, offlineMessage, unreadableMessage } from './api-error.ts'
import { described } from '../i18n/catalogue.ts'
import { withFreshToken } from '../session/fresh-token.ts'
import { withRequestTimeout } from './request-timeout.ts'
import { reportRefusal } from './session-invalidation.ts'
import { methodAddress, resourceAddress } from './wire-address.ts'

/**
 * The fetch client of the app: the same shapes on the wire and the same words for failures as frappe-js-sdk, a third of
 * its size.
 */

export type { Filter, ListOptions } from './wire-address.ts'

interface RequestOptions {
  verb: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** What the error says when the answer says nothing (docs/contracts/screens.md, section 8: the client library's own texts). */
  failure: string
  body?: Record<string, unknown> | undefined
  signal?: AbortSignal | undefined
}

async function request(path: string, options: RequestOptions): Promise<Record<string, unknown>> {
  return await withFreshToken(() => withRequestTimeout(send(path, options)))
}

async function send(path: string, { verb, failure, body, signal }: RequestOptions): Promise<Record<string, unknown>> {
  const headers: Record<string, string> = { Accept: 'application/json', 'X-Frappe-Site-Name': location.hostname }
  if (verb !== 'GET') {
    headers['Content-Type'] = 'application/json; charset=utf-8'
    const token = window.csrf_token
    if (token && token !== '{{ csrf_token }}') headers['X-Frappe-CSRF-Token'] = token
  }
  let response: Response
  try {
    response = await fetch(path, {
      method: verb,
      headers,
      credentials: 'include',
      ...(signal && { signal }),
      ...(body && { body: JSON.stringify(body) }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(offlineMessage)
  }
  const answer: unknown = await response.json().catch(() => null)
  const said = typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : null
  if (!response.ok) {
    const error = errorFromBody({ message: described(failure), ...said }, response.status, response.headers)
    reportRefusal(error)
    throw error
  }
  // Nobody knows what became of the call: as good as no answer.
  if (said === null) throw new ApiError(unreadableMessage)
  return said
}

/** How a method is called. */
export interface CallOptions {
  /** Default POST; GET for reading methods that allow it. */
  verb?: 'GET' | 'POST'
  signal?: AbortSignal
  /** The error's message when the answer has none; default 'There was an error.' */
  failure?: string
}

/** Calls a method and returns its whole answer: `message` and whatever stands beside it. Throws `ApiError`. */
export async function callFull(
  method: string,
  params: Record<string, unknown> = {},
  { verb = 'POST', signal, failure = 'There was an error.' }: CallOptions = {},
): Promise<Record<string, unknown>> {
  return verb === 'GET'
    ? await request(methodAddress(method, params), { verb, signal, failure })
    : await request(methodAddress(method), { verb, body: params, signal, failure })
}

/** Calls a method and returns its `message`. Throws `ApiError`. */
export async function call<T>(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<T> {
  return (await callFull(method, params, options))['message'] as T
}

/** One document. Throws `ApiError` (404 when it does not exist or belongs to somebody else). */
export async function getDoc<T>(doctype: string, name: string): Promise<T> {
  const failure = 'There was an error while fetching the document.'
  return (await request(resourceAddress(doctype, name), { verb: 'GET', failure }))['data'] as T
}

/** Creates a document and returns it; `job` is there when it started work. Throws `ApiError`. */
export async function createDoc<T>(doctype: string, values: Record<string, unknown>): Promise<T> {
  const failure = 'There was an error while creating the document.'
  return (await request(resourceAddress(doctype), { verb: 'POST', body: values, failure }))['data'] as T
}

/** Writes the given fields and returns the new document. Throws `ApiError`. */
export async function updateDoc<T>(doctype: string, name: string, values: Record<string, unknown>): Promise<T> {
  const failure = 'There was an error while updating the document.'
  return (await request(resourceAddress(doctype, name), { verb: 'PUT', body: values, failure }))['data'] as T
}

/** Deletes a document. Throws `ApiError`. */
export async function deleteDoc(doctype: string, name: string): Promise<void> {
  await request(resourceAddress(doctype, name), {
    verb: 'DELETE',
    failure: 'There was an error while deleting the document.',
  })
}

/** Runs a declared action of a document and returns its result (`{ job }` when it started work). Throws `ApiError`. */
export async function runAction<T = Record<string, unknown> | null>(
  doctype: string,
  name: string,
  action: string,
  args: Record<string, unknown> = {},
): Promise<T> {
  const answer = await callFull('run_doc_method', { dt: doctype, dn: name, method: action, args })
  return (answer['message'] ?? null) as T
}
