import * as z from 'zod/mini'
import { msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'
import { availableNow, notOffered, priceOf, soldOut } from '../machine-types.ts'
import type { MachineType, Provider, Region } from '../provider.ts'
import { ProviderError, vendorText } from '../provider-error.ts'
import { knownRegion } from '../provider-regions.ts'
import { readJson, sendRequest, type VendorApi, type VendorTransport } from '../vendor-api.ts'
import { digitaloceanApi, readList } from './digitalocean-api.ts'
import { digitaloceanMachines } from './digitalocean-machines.ts'

/** DigitalOcean (https://docs.digitalocean.com/reference/api/digitalocean) for a token. */
export function digitalocean(
  account: { readonly token: string },
  endpoint: string | null,
  transport: VendorTransport,
): Provider {
  const api = digitaloceanApi(account.token, endpoint, transport)
  return {
    name: 'digitalocean',
    label: 'DigitalOcean',
    check: (signal) => check(api, signal),
    regions: (signal) => regions(api, signal),
    machineTypes: (region, signal) => machineTypes(api, region, signal),
    machines: digitaloceanMachines(api),
  }
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
