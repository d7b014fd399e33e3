import * as z from 'zod/mini'
import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { isObject, parseJson } from '#shared/parse-json.ts'
import {
  actionFailure,
  kindOfStatus,
  ProviderError,
  retryAfterOf,
  vendorText,
  type ProviderErrorKind,
} from '../provider-error.ts'
import {
  readNumbered,
  tokenHeaders,
  wordsOf,
  type VendorApi,
  type VendorRequest,
  type VendorTransport,
} from '../vendor-api.ts'

/** Codes of errors, which are documented, unlike the statuses they come with (https://docs.hetzner.cloud/reference/cloud#errors). */
const kinds: ReadonlyMap<string, ProviderErrorKind> = new Map([
  ['unauthorized', 'wrong_key'],
  ['forbidden', 'wrong_scope'],
  ['token_readonly', 'wrong_scope'],
  ['rate_limit_exceeded', 'rate_limited'],
  ['resource_limit_exceeded', 'quota'],
  ['placement_error', 'out_of_stock'],
  ['resource_unavailable', 'out_of_stock'],
  ['invalid_input', 'invalid'],
  ['uniqueness_error', 'conflict'],
  ['conflict', 'conflict'],
  ['locked', 'conflict'],
  ['protected', 'conflict'],
  ['not_found', 'not_found'],
  ['service_error', 'unavailable'],
  ['server_error', 'unavailable'],
  ['maintenance', 'unavailable'],
  ['bad_gateway', 'unavailable'],
  ['timeout', 'unavailable'],
])
/**
 * Those of the vendor's own client (https://github.com/hetznercloud/hcloud-go, `retryPolicy`), and a name that is taken: then
 * an earlier request was carried out, which the next look shows.
 */
const retryableCodes: ReadonlySet<string> = new Set([
  'conflict',
  'rate_limit_exceeded',
  'bad_gateway',
  'timeout',
  'uniqueness_error',
])
/** Answers of proxies in front of the API, without a code. */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 504])

/** Page size; the vendor allows no more. */
const perPage = '50'

/** Opens the API for a token, which belongs to one project. */
export function hetznerApi(token: string, endpoint: string | null, transport: VendorTransport): VendorApi {
  return {
    transport,
    vendor: 'Hetzner',
    endpoint: endpoint ?? 'https://api.hetzner.cloud/v1',
    secrets: [token],
    headers: tokenHeaders(token),
    failureOf: (response) => failureOf(response, token, transport.now()),
  }
}

function failureOf(response: FetchResponse, token: string, now: number): ProviderError {
  const { status, headers } = response
  const body = parseJson(response.body.toString('utf8'))
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const code = vendorText(error['code'])
  const kind = kinds.get(code) ?? kindOfStatus(status)
  const request = vendorText(headers['x-correlation-id'])
  return new ProviderError(kind, {
    vendor: 'Hetzner',
    status,
    vendorCode: code,
    words: wordsOf([token], error['message']),
    retryable: code === '' ? retryableStatuses.has(status) : retryableCodes.has(code),
    retryAfterSeconds:
      kind === 'rate_limited' ? (retryAfterOf(headers, now) ?? refillSeconds(headers, now)) : undefined,
    cause: new Error(`HTTP ${status} ${code}, request ${request}`),
  })
}

/** The error of an action. */
export const actionError = (api: VendorApi, { code, message }: { code: string; message: string }): ProviderError =>
  actionFailure(kinds.get(code) ?? null, api.vendor, wordsOf(api.secrets, message))

/**
 * Seconds until one request is allowed again. Requests come back one after the other until the time of `RateLimit-Reset`,
 * when all of them are (https://docs.hetzner.cloud/reference/cloud#rate-limiting).
 */
function refillSeconds(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => Number(headers[`ratelimit-${name}`]))
  const seconds = ((reset ?? NaN) - now / 1000) / ((limit ?? NaN) - (remaining ?? NaN))
  return seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds) : undefined
}

const page = z.looseObject({
  meta: z.object({ pagination: z.object({ next_page: z.nullable(z.int()) }) }),
})

/** Reads all pages of a list, which is in the field `name` of an answer. */
export const readList = <T>(
  api: VendorApi,
  request: VendorRequest,
  name: string,
  items: z.ZodMiniType<readonly T[]>,
): Promise<T[]> => readNumbered(api, request, { name, perPage, page, nextOf }, items)

/** The next page of a list. */
const nextOf = ({ meta }: z.infer<typeof page>): string | null =>
  meta.pagination.next_page === null ? null : String(meta.pagination.next_page)
