import { isObject } from '#shared/parse-json.ts'
import { ApiError, errorFromBody, offlineMessage, unreadableMessage } from './api-error.ts'
import { translateText } from '../i18n/catalog.ts'
import { withFreshToken } from '../session/fresh-token.ts'
import { withRequestTimeout } from './request-timeout.ts'
import { reportDenial } from './session-invalidation.ts'
import { methodAddress, resourceAddress } from './wire-address.ts'

/** The app's fetch client. It uses the same payloads and error texts as frappe-js-sdk at a third of its size. */

export type { Filter, ListOptions } from './wire-address.ts'

interface RequestOptions {
  verb: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Error message if the response has none (docs/contracts/screens.md, section 8: the client library's own texts). */
  failure: string
  body?: Record<string, unknown> | undefined
  signal?: AbortSignal | undefined
  priority?: 'low' | undefined
}

async function request(path: string, options: RequestOptions): Promise<Record<string, unknown>> {
  return await withFreshToken(() => withRequestTimeout(send(path, options)))
}

async function send(
  path: string,
  { verb, failure, body, signal, priority }: RequestOptions,
): Promise<Record<string, unknown>> {
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
      ...(priority && { priority }),
      ...(body && { body: JSON.stringify(body) }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(offlineMessage)
  }
  const json: unknown = await response.json().catch(() => null)
  const parsed = isObject(json) ? json : null
  if (!response.ok) {
    const error = errorFromBody({ message: translateText(failure), ...parsed }, response.status, response.headers)
    reportDenial(error)
    throw error
  }
  // The outcome of the call is unknown, so treat it like a missing response.
  if (parsed === null) throw new ApiError(unreadableMessage)
  return parsed
}

/** A part of a response, in the shape that its method or doctype declares. Callers that show it check it (checked-response.ts). */
const unwrap = <T>(response: Record<string, unknown>, part: 'message' | 'data'): T => response[part] as T

/** Options of a method call. */
export interface CallOptions {
  /** Defaults to POST; use GET for read methods that allow it. */
  verb?: 'GET' | 'POST'
  signal?: AbortSignal
  /** `low`: the browser sends it after what the screen needs. */
  priority?: 'low' | undefined
  /** Error message if the response has none; defaults to 'There was an error.' */
  failure?: string
}

/** Calls a method and returns the whole response: `message` and the other top-level keys. Throws `ApiError`. */
export async function callFull(
  method: string,
  params: Record<string, unknown> = {},
  { verb = 'POST', signal, priority, failure = 'There was an error.' }: CallOptions = {},
): Promise<Record<string, unknown>> {
  return verb === 'GET'
    ? await request(methodAddress(method, params), { verb, signal, priority, failure })
    : await request(methodAddress(method), { verb, body: params, signal, failure })
}

/** Calls a method and returns its `message`. Throws `ApiError`. */
export async function call<T>(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<T> {
  return unwrap(await callFull(method, params, options), 'message')
}

/** Reads one document. Throws `ApiError` (404 if it doesn't exist or isn't visible to the user). */
export async function getDoc<T>(doctype: string, name: string): Promise<T> {
  const failure = 'There was an error while fetching the document.'
  return unwrap(await request(resourceAddress(doctype, name), { verb: 'GET', failure }), 'data')
}

/** Creates a document and returns it, with `job` if that started one. Throws `ApiError`. */
export async function createDoc<T>(doctype: string, values: Record<string, unknown>): Promise<T> {
  const failure = 'There was an error while creating the document.'
  return unwrap(await request(resourceAddress(doctype), { verb: 'POST', body: values, failure }), 'data')
}

/** Updates the given fields and returns the new document. Throws `ApiError`. */
export async function updateDoc<T>(doctype: string, name: string, values: Record<string, unknown>): Promise<T> {
  const failure = 'There was an error while updating the document.'
  return unwrap(await request(resourceAddress(doctype, name), { verb: 'PUT', body: values, failure }), 'data')
}

/** Deletes a document. Throws `ApiError`. */
export async function deleteDoc(doctype: string, name: string): Promise<void> {
  await request(resourceAddress(doctype, name), {
    verb: 'DELETE',
    failure: 'There was an error while deleting the document.',
  })
}

/** Runs a declared action of a document and returns its result (`{ job }` if it started one). Throws `ApiError`. */
export async function runAction<T = Record<string, unknown> | null>(
  doctype: string,
  name: string,
  action: string,
  args: Record<string, unknown> = {},
): Promise<T> {
  const { message = null } = await callFull('run_doc_method', { dt: doctype, dn: name, method: action, args })
  return unwrap({ message }, 'message')
}
