import * as z from 'zod/mini'
import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { msg } from '#shared/localized-message.ts'
import { isObject, parseJson } from '#shared/parse-json.ts'
import { kindOfStatus, ProviderError, retryAfterOf, vendorText, type ProviderErrorKind } from '../provider-error.ts'
import {
  readNumbered,
  tokenHeaders,
  wordsOf,
  type VendorApi,
  type VendorRequest,
  type VendorTransport,
} from '../vendor-api.ts'

/** Opens the API for a token. */
export function digitaloceanApi(token: string, endpoint: string | null, transport: VendorTransport): VendorApi {
  return {
    transport,
    vendor: 'DigitalOcean',
    endpoint: endpoint ?? 'https://api.digitalocean.com',
    secrets: [token],
    headers: tokenHeaders(token),
    failureOf: (response) => failureOf(response, token, transport.now()),
  }
}

/** Most refusals have one status and one code, and differ in their words only. */
const kindsByWords: readonly (readonly [RegExp, ProviderErrorKind])[] = [
  [/droplet limit/i, 'quota'],
  [/not available|unavailable/i, 'out_of_stock'],
  [/pending event|already in use/i, 'conflict'],
]

function kindOf(status: number, words: string): ProviderErrorKind {
  const [, kind] = (status === 422 && kindsByWords.find(([pattern]) => pattern.test(words))) || []
  return kind ?? kindOfStatus(status)
}

function failureOf(response: FetchResponse, token: string, now: number): ProviderError {
  const { status, headers } = response
  const body = parseJson(response.body.toString('utf8'))
  const said = isObject(body) ? body : {}
  const words = wordsOf([token], said['message'])
  const kind = kindOf(status, words)
  const code = vendorText(said['id'])
  const request = vendorText(said['request_id'] ?? headers['x-request-id'])
  return new ProviderError(kind, {
    vendor: 'DigitalOcean',
    status,
    vendorCode: code,
    words,
    nextAction:
      kind === 'wrong_scope'
        ? msg`Make a token with full access, or one whose scopes include account:read, droplet, image:read, ssh_key and tag.`
        : undefined,
    retryable: kind === 'rate_limited' || kind === 'unavailable',
    retryAfterSeconds: kind === 'rate_limited' ? (retryAfterOf(headers, now) ?? resetSeconds(headers, now)) : undefined,
    cause: new Error(`HTTP ${status} ${code}, request ${request}`),
  })
}

/** Seconds until the oldest request leaves the hour that is counted. */
function resetSeconds(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const seconds = Math.ceil(Number(headers['ratelimit-reset'] ?? NaN) - now / 1000)
  return seconds > 0 ? seconds : undefined
}

const page = z.looseObject({
  links: z.optional(z.object({ pages: z.optional(z.object({ next: z.optional(z.string()) })) })),
})

/** Reads all pages of a list, which is in the field `name` of an answer. */
export const readList = <T>(
  api: VendorApi,
  request: VendorRequest,
  name: string,
  items: z.ZodMiniType<readonly T[]>,
): Promise<T[]> => readNumbered(api, request, { name, perPage: '200', page, nextOf }, items)

/** The next page of a list. */
const nextOf = ({ links }: z.infer<typeof page>): string | null =>
  // Only the number is taken from the address: the host stays ours.
  /[?&]page=(\d{1,6})(?:&|$)/.exec(links?.pages?.next ?? '')?.[1] ?? null
