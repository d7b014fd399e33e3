import { bodyOf, fingerprintOf, tokenOf, visible, type AccountOptions, type Contents } from './account.ts'
import { failure, nextId, notFound, pageOf, refusal, type Call, type State } from './digitalocean-call.ts'
import { account, regions, sizes } from './digitalocean-catalog.ts'
import { createDroplet, dropletBody, limitReached, listImages, respondDroplet } from './digitalocean-droplets.ts'
import type { Fault, SimulatedVendor } from './faults.ts'
import { createdAt, namesOf, stateAt } from './machine-life.ts'
import type { ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'

/** DigitalOcean as far as Easydash uses it; every token has its own team. */
export function simulatedDigitalOcean(
  options: AccountOptions,
): SimulatedVendor & { contentsOf(token: string): Contents } {
  const state: State = { ...options, teams: new Map(), lastId: 3000 }
  for (const [token, access] of Object.entries(options.tokens))
    state.teams.set(token, { access, droplets: [], keys: [], images: [] })
  return {
    respond: (request, effect) => respond(state, request, effect),
    errorOf: (fault) => errorOf(state, fault),
    contentsOf: (token) => {
      const { droplets = [], keys = [], images = [] } = state.teams.get(token) ?? {}
      return {
        servers: namesOf(state.now(), droplets),
        keys: keys.map(({ name }) => name),
        snapshots: images.map(({ name }) => name),
      }
    },
  }
}

function errorOf({ now }: State, fault: Fault): SimulatedResponse {
  if (fault.kind === 'quota') return limitReached
  if (fault.kind === 'out_of_stock') return refusal('Size is not available in this region.')
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

function respond(state: State, request: ReceivedRequest, effect: Call['effect']): SimulatedResponse | null {
  const team = state.teams.get(tokenOf(request))
  if (!team) return failure(401, 'unauthorized', 'Unable to authenticate you')
  if (team.access === 'none' || (team.access === 'read' && request.method !== 'GET'))
    return failure(403, 'forbidden', 'You are not authorized to perform this operation')
  const { pathname, searchParams: query } = new URL(request.path, 'http://vendor')
  const now = state.now()
  team.droplets.splice(0, Infinity, ...team.droplets.filter((droplet) => stateAt(now, droplet) !== 'gone'))
  const call: Call = { state, team, query, body: bodyOf(request), effect }
  switch (`${request.method} ${pathname}`) {
    case 'GET /v2/account':
      return { status: 200, body: { account } }
    case 'GET /v2/regions':
      return pageOf(call, 'regions', regions)
    case 'GET /v2/sizes':
      return pageOf(call, 'sizes', sizes)
    case 'POST /v2/account/keys':
      return addKey(call)
    case 'GET /v2/images':
      return listImages(call)
    case 'GET /v2/droplets': {
      const tag = query.get('tag_name')
      const found = team.droplets.filter(({ tags }) => tag === null || tags.includes(tag))
      return pageOf(call, 'droplets', visible(call, found, createdAt).map(dropletBody(now)))
    }
    case 'POST /v2/droplets':
      return createDroplet(call)
  }
  const [, fingerprint] = /^\/v2\/account\/keys\/([0-9a-f:]+)$/.exec(pathname) ?? []
  if (fingerprint !== undefined && request.method === 'GET') {
    const ssh_key = team.keys.find((key) => key.fingerprint === fingerprint)
    return ssh_key ? { status: 200, body: { ssh_key } } : notFound
  }
  const [, id, rest = ''] = /^\/v2\/droplets\/(\d+)(\/actions)?$/.exec(pathname) ?? []
  return id === undefined ? null : respondDroplet(call, request.method, Number(id), rest)
}

function addKey({ state, team, body }: Call): SimulatedResponse {
  const { name, public_key } = body as { name: string; public_key: string }
  const fingerprint = fingerprintOf(public_key)
  if (team.keys.some((key) => key.fingerprint === fingerprint))
    return refusal('SSH Key is already in use on your account')
  const ssh_key = { id: nextId(state), name, fingerprint, public_key }
  team.keys.push(ssh_key)
  return { status: 201, body: { ssh_key } }
}
