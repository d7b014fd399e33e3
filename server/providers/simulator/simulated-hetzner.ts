import { bodyOf, fingerprintOf, iso, tokenOf, visible, type AccountOptions, type Contents } from './account.ts'
import type { Fault, SimulatedVendor } from './faults.ts'
import { failure, matchesLabel, nextId, pageOf, type Call, type State } from './hetzner-call.ts'
import { locations, pricing, serverTypes } from './hetzner-catalog.ts'
import { createServer, respondImages, respondServer, serverBody } from './hetzner-servers.ts'
import { createdAt, namesOf, stateAt } from './machine-life.ts'
import type { ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'

/** Hetzner Cloud as far as Easydash uses it; every token has its own project. */
export function simulatedHetzner(options: AccountOptions): SimulatedVendor & { contentsOf(token: string): Contents } {
  const state: State = { ...options, projects: new Map(), lastId: 1000 }
  for (const [token, access] of Object.entries(options.tokens))
    state.projects.set(token, { access, servers: [], keys: [], images: [] })
  return {
    respond: (request, effect) => respond(state, request, effect),
    errorOf: (fault) => errorOf(state, fault),
    contentsOf: (token) => {
      const { servers = [], keys = [], images = [] } = state.projects.get(token) ?? {}
      return {
        servers: namesOf(state.now(), servers),
        keys: keys.map(({ name }) => name),
        snapshots: images.map(({ description }) => description),
      }
    },
  }
}

function errorOf(state: State, fault: Fault): SimulatedResponse {
  if (fault.kind === 'quota') return failure(403, 'resource_limit_exceeded', 'server limit exceeded')
  if (fault.kind === 'out_of_stock') return failure(412, 'resource_unavailable', 'server location disabled')
  if (fault.kind !== 'rate_limit') return failure(500, 'server_error', 'internal error')
  const reset = String(state.now() / 1000 + 3600)
  return failure(
    429,
    'rate_limit_exceeded',
    'limit of 3600 requests per hour reached',
    fault.retryAfterSeconds === undefined
      ? { 'ratelimit-limit': '3600', 'ratelimit-remaining': '0', 'ratelimit-reset': reset }
      : { 'retry-after': String(fault.retryAfterSeconds) },
  )
}

function respond(state: State, request: ReceivedRequest, effect: Call['effect']): SimulatedResponse | null {
  const project = state.projects.get(tokenOf(request))
  if (!project) return failure(401, 'unauthorized', 'unable to authenticate')
  if (project.access === 'none') return failure(403, 'forbidden', 'insufficient permissions')
  if (project.access === 'read' && request.method !== 'GET') return failure(403, 'token_readonly', 'token is read only')
  const url = new URL(request.path, 'http://vendor')
  const now = state.now()
  project.servers.splice(0, Infinity, ...project.servers.filter((server) => stateAt(now, server) !== 'gone'))
  const call: Call = { state, project, query: url.searchParams, body: bodyOf(request), effect }
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /locations':
      return pageOf(call, 'locations', locations)
    case 'GET /server_types':
      return pageOf(call, 'server_types', serverTypes)
    case 'GET /pricing':
      return { status: 200, body: { pricing } }
    case 'GET /ssh_keys':
      return pageOf(
        call,
        'ssh_keys',
        visible(call, project.keys.filter(matchesFingerprint(call)), ({ created }) => Date.parse(created)),
      )
    case 'POST /ssh_keys':
      return addKey(call)
    case 'GET /servers':
      return pageOf(
        call,
        'servers',
        visible(call, project.servers.filter(matchesLabel(call)), createdAt).map(serverBody(now)),
      )
    case 'POST /servers':
      return createServer(call)
  }
  const [, what, id = '', rest = ''] = /^\/(servers|images)(?:\/(\d+))?(\/actions(?:\/\w+)?)?$/.exec(url.pathname) ?? []
  if (what === 'images' && request.method === 'GET') return respondImages(call, id)
  return what === 'servers' ? respondServer(call, request.method, Number(id), rest) : null
}

const matchesFingerprint =
  ({ query }: Call) =>
  ({ fingerprint }: { readonly fingerprint: string }) =>
    query.get('fingerprint') === null || query.get('fingerprint') === fingerprint

function addKey({ state, project, body }: Call): SimulatedResponse {
  const {
    name,
    public_key,
    labels = {},
  } = body as { name: string; public_key: string; labels?: Record<string, string> }
  const fingerprint = fingerprintOf(public_key)
  if (project.keys.some((key) => key.name === name || key.fingerprint === fingerprint))
    return failure(409, 'uniqueness_error', 'SSH key not unique')
  const key = { id: nextId(state), name, fingerprint, public_key, labels, created: iso(state.now()) }
  project.keys.push(key)
  return { status: 201, body: { ssh_key: key } }
}
