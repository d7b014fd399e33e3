import type { Fault, SimulatedVendor } from './faults.ts'
import type { ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'

export interface DigitalOceanOptions {
  /** Access by token; `none` may do nothing. */
  readonly tokens: Readonly<Record<string, 'full' | 'none'>>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Most entries of a page; the vendor's is 200. */
  readonly pageLimit?: number
}

/** DigitalOcean as far as Easydash uses it: the account, regions and sizes. */
export function simulatedDigitalOcean(options: DigitalOceanOptions): SimulatedVendor {
  return {
    respond: (request) => respond(options, request),
    errorOf: (fault) => errorOf(options, fault),
  }
}

const failure = (
  status: number,
  id: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): SimulatedResponse => ({
  status,
  body: { id, message, request_id: '515850a0-a812-50bf-aa3c-d0d21d287e40' },
  headers,
})

function errorOf({ now }: DigitalOceanOptions, fault: Fault): SimulatedResponse {
  if (fault.kind !== 'rate_limit') return failure(500, 'server_error', 'Unexpected server-side error')
  return failure(
    429,
    'too_many_requests',
    'API rate limit exceeded.',
    fault.retryAfterSeconds === undefined
      ? { 'ratelimit-limit': '5000', 'ratelimit-remaining': '0', 'ratelimit-reset': String(now() / 1000 + 7) }
      : { 'retry-after': String(fault.retryAfterSeconds) },
  )
}

function respond(options: DigitalOceanOptions, request: ReceivedRequest): SimulatedResponse | null {
  const token = String(request.headers['authorization'] ?? '').replace(/^Bearer /, '')
  const access = options.tokens[token]
  if (access === undefined) return failure(401, 'unauthorized', 'Unable to authenticate you')
  if (access === 'none') return failure(403, 'forbidden', 'You are not authorized to perform this operation')
  const { pathname, searchParams } = new URL(request.path, 'http://vendor')
  switch (`${request.method} ${pathname}`) {
    case 'GET /v2/account':
      return { status: 200, body: { account } }
    case 'GET /v2/regions':
      return pageOf(options, 'regions', searchParams, regions)
    case 'GET /v2/sizes':
      return pageOf(options, 'sizes', searchParams, sizes)
    default:
      return null
  }
}

function pageOf(
  { pageLimit = 200 }: DigitalOceanOptions,
  name: string,
  query: URLSearchParams,
  entries: readonly unknown[],
): SimulatedResponse {
  const page = Number(query.get('page') ?? 1)
  const perPage = Math.min(Number(query.get('per_page') ?? 20), pageLimit)
  const last = Math.max(1, Math.ceil(entries.length / perPage))
  const address = (of: number) => `https://api.digitalocean.com/v2/${name}?page=${of}&per_page=${perPage}`
  const pages = {
    ...(page < last && { next: address(page + 1), last: address(last) }),
    ...(page > 1 && { first: address(1), prev: address(page - 1) }),
  }
  const items = entries.slice((page - 1) * perPage, page * perPage)
  return { status: 200, body: { [name]: items, links: last > 1 ? { pages } : {}, meta: { total: entries.length } } }
}

const account = {
  droplet_limit: 25,
  floating_ip_limit: 5,
  email: 'ops@acme.example',
  name: 'Acme',
  uuid: 'b6fr89dbf6d9156cace5f3c78dc9851d957381ef',
  email_verified: true,
  status: 'active',
  status_message: '',
  team: { uuid: '5df3e3004a17e242b7c20ca6c9fc25b701a47ece', name: 'Acme' },
}

const size = (
  slug: string,
  [vcpus, memory, disk, transfer]: readonly [number, number, number, number],
  price: number,
  at: readonly string[],
  available = true,
) => ({
  slug,
  memory,
  vcpus,
  disk,
  transfer,
  price_monthly: price,
  price_hourly: Math.fround(Math.round((price / 672) * 1e5) / 1e5),
  regions: at,
  available,
  description: slug.startsWith('s-') ? 'Basic' : 'General Purpose',
  disk_info: [{ type: 'local', size: { amount: disk, unit: 'gib' } }],
})

const everywhere = ['nyc1', 'nyc3', 'sfo3', 'atl1', 'tor1', 'ams3', 'lon1', 'fra1', 'blr1', 'sgp1', 'syd1']
const large = ['nyc1', 'ams3', 'fra1']
const sizes = [
  size('s-1vcpu-1gb', [1, 1024, 25, 1], 6, everywhere),
  size('s-1vcpu-2gb', [1, 2048, 50, 2], 12, everywhere),
  size('s-2vcpu-2gb', [2, 2048, 60, 3], 18, everywhere),
  size('s-2vcpu-4gb', [2, 4096, 80, 4], 24, everywhere),
  size('s-4vcpu-8gb', [4, 8192, 160, 5], 48, everywhere),
  size('g-2vcpu-8gb', [2, 8192, 25, 4], 63, large),
  size('s-1vcpu-3gb', [1, 3072, 60, 3], 15, [], false),
]

/** `ams1` takes no new machines. */
const regions = (
  [
    ['nyc1', 'New York 1'],
    ['nyc3', 'New York 3'],
    ['sfo3', 'San Francisco 3'],
    ['atl1', 'Atlanta 1'],
    ['tor1', 'Toronto 1'],
    ['ams1', 'Amsterdam 1'],
    ['ams3', 'Amsterdam 3'],
    ['lon1', 'London 1'],
    ['fra1', 'Frankfurt 1'],
    ['blr1', 'Bangalore 1'],
    ['sgp1', 'Singapore 1'],
    ['syd1', 'Sydney 1'],
  ] as const
).map(([slug, name]) => ({
  slug,
  name,
  features: ['backups', 'ipv6', 'metadata', 'install_agent', 'storage', 'image_transfer'],
  available: everywhere.includes(slug),
  sizes: sizes.filter(({ regions: at }) => at.includes(slug)).map((one) => one.slug),
}))
