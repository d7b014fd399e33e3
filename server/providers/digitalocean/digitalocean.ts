import * as z from 'zod/mini'
import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'
import { isObject, parseJson } from '#shared/parse-json.ts'
import { availableNow, notOffered, priceOf, soldOut } from '../machine-types.ts'
import type { MachineType, Provider, Region } from '../provider.ts'
import { kindOfStatus, ProviderError, retryAfterOf, vendorText } from '../provider-error.ts'
import { knownRegion } from '../provider-regions.ts'
import {
  collectPages,
  readJson,
  sendRequest,
  validated,
  wordsOf,
  type VendorApi,
  type VendorRequest,
  type VendorTransport,
} from '../vendor-api.ts'

/** DigitalOcean (https://docs.digitalocean.com/reference/api/digitalocean) for a token. */
export function digitalocean(
  account: { readonly token: string },
  endpoint: string | null,
  transport: VendorTransport,
): Provider {
  const api: VendorApi = {
    transport,
    vendor: 'DigitalOcean',
    endpoint: endpoint ?? 'https://api.digitalocean.com',
    secrets: [account.token],
    headers: () => Promise.resolve({ authorization: `Bearer ${account.token}` }),
    failureOf: (response) => failureOf(response, account.token, transport.now()),
  }
  return {
    name: 'digitalocean',
    label: 'DigitalOcean',
    check: (signal) => check(api, signal),
    regions: (signal) => regions(api, signal),
    machineTypes: (region, signal) => machineTypes(api, region, signal),
  }
}

function failureOf(response: FetchResponse, token: string, now: number): ProviderError {
  const { status, headers } = response
  const body = parseJson(response.body.toString('utf8'))
  const said = isObject(body) ? body : {}
  const kind = kindOfStatus(status)
  const code = vendorText(said['id'])
  const request = vendorText(said['request_id'] ?? headers['x-request-id'])
  return new ProviderError(kind, {
    vendor: 'DigitalOcean',
    status,
    vendorCode: code,
    words: wordsOf([token], said['message']),
    nextAction:
      kind === 'wrong_scope'
        ? msg`Make a token with full access, or one whose scopes include account:read and droplet.`
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

const text = z.string().check(z.maxLength(300))

const accountAnswer = z.object({
  account: z.object({
    droplet_limit: z.number(),
    status: text,
    team: z.optional(z.object({ name: z.optional(z.string()) })),
  }),
})

/** Reads the account of the token. */
async function check(api: VendorApi, signal?: AbortSignal): Promise<LocalizedMessage> {
  const response = await sendRequest(api, { path: '/v2/account', tries: 1, maxBytes: 256 * 1024, signal })
  const { droplet_limit: limit, status, team } = readJson(api, response, accountAnswer).account
  if (status === 'locked')
    throw new ProviderError('wrong_scope', {
      vendor: api.vendor,
      status: response.status,
      message: msg`The token works, but DigitalOcean has locked its account.`,
      nextAction: msg`Sign in at DigitalOcean to see why.`,
    })
  const name = vendorText(team?.name)
  return name === ''
    ? plural(limit, msg`The token works: up to ${limit} droplet.`, msg`The token works: up to ${limit} droplets.`)
    : plural(
        limit,
        msg`The token works for ${name}: up to ${limit} droplet.`,
        msg`The token works for ${name}: up to ${limit} droplets.`,
      )
}

const page = z.looseObject({
  links: z.optional(z.object({ pages: z.optional(z.object({ next: z.optional(z.string()) })) })),
})

/** Reads all pages of a list, which is in the field `name` of an answer. */
async function readList<T>(
  api: VendorApi,
  request: VendorRequest,
  name: string,
  items: z.ZodMiniType<readonly T[]>,
): Promise<T[]> {
  return collectPages(api, '1', async (cursor) => {
    const response = await sendRequest(api, { ...request, query: { page: cursor, per_page: '200' } })
    const body = readJson(api, response, page)
    // Only the number is taken from the address: the host stays ours.
    const next = /[?&]page=(\d{1,6})(?:&|$)/.exec(body.links?.pages?.next ?? '')?.[1] ?? null
    return { items: validated(api, response, items, body[name]), next }
  })
}

const regionList = z.array(z.object({ slug: text, name: text, available: z.boolean() }))

async function regions(api: VendorApi, signal?: AbortSignal): Promise<Region[]> {
  const found = await readList(api, { path: '/v2/regions', signal }, 'regions', regionList)
  return found.map(({ slug, name, available }) => ({
    code: slug,
    country: knownRegion(api.vendor, slug).country,
    description: name,
    available,
  }))
}

const sizeList = z.array(
  z.object({
    slug: text,
    vcpus: z.int(),
    /** In MB of 2^20 bytes. */
    memory: z.int(),
    /** In GB of 2^30 bytes. */
    disk: z.int(),
    price_hourly: z.number(),
    price_monthly: z.number(),
    regions: z.array(text),
    available: z.boolean(),
  }),
)

async function machineTypes(api: VendorApi, region: string, signal?: AbortSignal): Promise<MachineType[]> {
  const found = await readList(api, { path: '/v2/sizes', signal }, 'sizes', sizeList)
  return found.map((size) => ({
    name: size.slug,
    vcpu: size.vcpus,
    ramBytes: size.memory * 2 ** 20,
    diskBytes: size.disk * 2 ** 30,
    architecture: 'x86',
    price: priceOf(size.price_hourly, size.price_monthly, 'USD'),
    ...(!size.available
      ? soldOut(api.vendor)
      : size.regions.includes(region)
        ? availableNow
        : notOffered(api.vendor, region)),
  }))
}
