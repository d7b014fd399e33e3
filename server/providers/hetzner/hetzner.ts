import * as z from 'zod/mini'
import { msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'
import { availableNow, notOffered, priceOf, pricesTogether, soldOut, withdrawn } from '../machine-types.ts'
import type { MachinePrice, MachineType, Provider, Region } from '../provider.ts'
import { readJson, readOne, sendRequest, type VendorApi, type VendorTransport } from '../vendor-api.ts'
import { hetznerApi, readList } from './hetzner-api.ts'
import { hetznerMachines } from './hetzner-machines.ts'

/** Hetzner Cloud (https://docs.hetzner.cloud/reference/cloud) for the token of a project. */
export function hetzner(
  account: { readonly token: string },
  endpoint: string | null,
  transport: VendorTransport,
): Provider {
  const api = hetznerApi(account.token, endpoint, transport)
  return {
    name: 'hetzner',
    label: 'Hetzner',
    check: (signal) => check(api, signal),
    regions: (signal) => regions(api, signal),
    machineTypes: (region, signal) => machineTypes(api, region, signal),
    machines: hetznerMachines(api),
  }
}

const text = z.string().check(z.maxLength(300))

const firstServer = z.object({
  servers: z.array(z.unknown()),
  // Only the number in the sentence depends on it.
  meta: z.catch(z.object({ pagination: z.object({ total_entries: z.nullable(z.int()) }) }), {
    pagination: { total_entries: null },
  }),
})

/** Lists one server of the project. */
async function check(api: VendorApi, signal?: AbortSignal): Promise<LocalizedMessage> {
  const response = await sendRequest(api, {
    path: '/servers',
    query: { per_page: '1' },
    tries: 1,
    maxBytes: 256 * 1024,
    signal,
  })
  const { servers, meta } = readJson(api, response, firstServer)
  const count = meta.pagination.total_entries ?? servers.length
  return plural(
    count,
    msg`The token works: ${count} server in its project.`,
    msg`The token works: ${count} servers in its project.`,
  )
}

const locations = z.array(z.object({ name: text, country: text, description: text }))

async function regions(api: VendorApi, signal?: AbortSignal): Promise<Region[]> {
  const found = await readList(api, { path: '/locations', signal }, 'locations', locations)
  return found.map(({ name, country, description }) => ({ code: name, country, description, available: true }))
}

/** Net amounts by location: gross ones include the tax of the account. */
const prices = z.array(
  z.object({ location: text, price_hourly: z.object({ net: text }), price_monthly: z.object({ net: text }) }),
)

const serverTypes = z.array(
  z.object({
    name: text,
    cores: z.int(),
    /** In GB of 2^30 bytes; half ones exist. */
    memory: z.number(),
    /** In GB of 10^9 bytes. */
    disk: z.number(),
    architecture: z.enum(['x86', 'arm']),
    prices,
    locations: z.array(z.object({ name: text, available: z.boolean(), deprecation: z.nullable(z.unknown()) })),
  }),
)
const pricing = z.object({
  pricing: z.object({
    currency: z.string().check(z.regex(/^[A-Z]{3}$/)),
    primary_ips: z.array(z.object({ type: text, prices })),
  }),
})
type Pricing = z.infer<typeof pricing>['pricing']

async function machineTypes(api: VendorApi, region: string, signal?: AbortSignal): Promise<MachineType[]> {
  const found = await readList(api, { path: '/server_types', signal }, 'server_types', serverTypes)
  const costs = (await readOne(api, { path: '/pricing', signal }, pricing)).pricing
  return found.map((type) => {
    const here = type.locations.find(({ name }) => name === region)
    return {
      name: type.name,
      vcpu: type.cores,
      ramBytes: type.memory * 2 ** 30,
      // Sizes are shown in powers of two, and are to read as in the provider's own list.
      diskBytes: type.disk * 2 ** 30,
      architecture: type.architecture,
      price: priceIn(region, type.prices, costs),
      ...availabilityOf(api, region, here),
    }
  })
}

/**
 * What a server costs in a location: its type, and the IPv4 address that every server of ours gets and the vendor bills by itself,
 * unless it lists none there.
 */
function priceIn(
  region: string,
  ofType: z.infer<typeof prices>,
  { currency, primary_ips }: Pricing,
): MachinePrice | null {
  const priceAt = (all: z.infer<typeof prices>) => {
    const here = all.find(({ location }) => location === region)
    return here ? priceOf(here.price_hourly.net, here.price_monthly.net, currency) : null
  }
  const machine = priceAt(ofType)
  const address = priceAt(primary_ips.find(({ type }) => type === 'ipv4')?.prices ?? [])
  return machine && address ? pricesTogether(machine, address) : machine
}

function availabilityOf(api: VendorApi, region: string, here?: { available: boolean; deprecation: unknown }) {
  if (!here) return notOffered(api.vendor, region)
  if (here.deprecation !== null) return withdrawn(api.vendor)
  return here.available ? availableNow : soldOut(api.vendor)
}
