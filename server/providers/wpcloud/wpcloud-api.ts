import * as z from 'zod/mini'
import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { isObject, parseJson } from '#shared/parse-json.ts'
import { kindOfStatus, ProviderError, retryAfterOf } from '../provider-error.ts'
import {
  readJson,
  sendRequest,
  wordsOf,
  type VendorApi,
  type VendorRequest,
  type VendorTransport,
} from '../vendor-api.ts'

/** A key of one client account at WP Cloud. */
export interface WpCloudAccount {
  readonly key: string
  /** The account's name in lower case. */
  readonly client: string
}

const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Opens the API for a key, which belongs to one account (https://wp.cloud/docs/, "WP Cloud API quick start"). */
export function wpCloudApi({ key }: WpCloudAccount, endpoint: string | null, transport: VendorTransport): VendorApi {
  return {
    transport,
    vendor: 'WP Cloud',
    endpoint: endpoint ?? 'https://atomic-api.wordpress.com/api/v1.0',
    secrets: [key],
    headers: async ({ body }) => ({
      auth: key,
      accept: 'application/json',
      ...(body !== '' && { 'content-type': 'application/x-www-form-urlencoded' }),
    }),
    failureOf: (response) => failureOf(response, key, transport.now()),
  }
}

function failureOf({ status, headers, body }: FetchResponse, key: string, now: number): ProviderError {
  const parsed = parseJson(body.toString('utf8'))
  // 412: something must be deleted first; 423: another operation has locked the site.
  const kind = status === 412 || status === 423 ? 'conflict' : kindOfStatus(status)
  return new ProviderError(kind, {
    vendor: 'WP Cloud',
    status,
    words: wordsOf([key], isObject(parsed) ? parsed['message'] : ''),
    retryable: retryableStatuses.has(status),
    retryAfterSeconds: kind === 'rate_limited' ? retryAfterOf(headers, now) : undefined,
    cause: new Error(`HTTP ${status}`),
  })
}

/** Fields of a form; a list is sent as `name[]`. */
export type Form = Readonly<Record<string, string | readonly string[]>>

/** Reads what an answer holds; every answer says `OK` beside it. */
export async function ask<T>(
  api: VendorApi,
  request: Omit<VendorRequest, 'body'> & { readonly form?: Form },
  data: z.ZodMiniType<T>,
): Promise<T> {
  const { form, ...rest } = request
  const response = await sendRequest(api, { ...rest, ...(form && { body: encode(form) }) })
  return readJson(api, response, z.object({ data })).data
}

function encode(form: Form): string {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(form))
    if (typeof value === 'string') fields.append(name, value)
    else for (const one of value) fields.append(`${name}[]`, one)
  return fields.toString()
}

/** Numbers come as such or as texts. */
export const numeral = z.pipe(
  z.union([z.number(), z.string().check(z.regex(/^\d{1,16}$/))]),
  z.transform((value) => String(value)),
)

/** Part of a path with a site's id. Throws for anything else: domains change. */
export function idOf(site: string): string {
  if (!/^\d{1,16}$/.test(site)) throw new Error(`Not an id of WP Cloud: ${site}`)
  return site
}
