import { createHash } from 'node:crypto'
import { isObject, parseJson } from '#shared/parse-json.ts'
import type { Fault, SimulatedVendor } from './faults.ts'
import { locations, pricing, serverTypes } from './hetzner-catalog.ts'
import { actionsOf, isGone, isLocked, iso, serverBody, type HetznerServer } from './hetzner-servers.ts'
import type { SimulatedCloud } from './simulated-cloud.ts'
import type { ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'

/** A project; a token belongs to one. */
interface Project {
  /** `read`: a read-only token; `none`: one that may do nothing. */
  readonly access: 'full' | 'read' | 'none'
  readonly servers: HetznerServer[]
  readonly keys: SshKey[]
}

interface SshKey {
  readonly id: number
  readonly name: string
  readonly fingerprint: string
  readonly public_key: string
  readonly labels: Record<string, string>
  readonly created: string
}

export interface HetznerOptions {
  /** Access by token. */
  readonly tokens: Readonly<Record<string, Project['access']>>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Where its servers answer by SSH. Default: nowhere. */
  readonly cloud?: Pick<SimulatedCloud, 'start' | 'stop'>
  /** Most entries of a page; the vendor's is 50. */
  readonly pageLimit?: number
}

/** Everything a request needs. */
interface Call {
  readonly state: State
  readonly project: Project
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly effect: 'lag' | 'fail_later' | null
}

interface State extends HetznerOptions {
  readonly projects: Map<string, Project>
  lastId: number
}

/** Hetzner Cloud as far as Easydash uses it; every token has its own project. */
export function simulatedHetzner(options: HetznerOptions): SimulatedVendor & {
  /** Names of the servers and keys a project has. */
  contentsOf(token: string): { servers: string[]; keys: string[] }
} {
  const state: State = { ...options, projects: new Map(), lastId: 1000 }
  for (const [token, access] of Object.entries(options.tokens))
    state.projects.set(token, { access, servers: [], keys: [] })
  return {
    respond: (request, effect) => respond(state, request, effect),
    errorOf: (fault) => errorOf(state, fault),
    contentsOf: (token) => ({
      servers: (state.projects.get(token)?.servers ?? []).map(({ name }) => name),
      keys: (state.projects.get(token)?.keys ?? []).map(({ name }) => name),
    }),
  }
}

const failure = (
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): SimulatedResponse => ({
  status,
  body: { error: { code, message, details: null } },
  headers: { 'x-correlation-id': 'd5f8e5d0c0ffee00', ...headers },
})

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
  const token = String(request.headers['authorization'] ?? '').replace(/^Bearer /, '')
  const project = state.projects.get(token)
  if (!project) return failure(401, 'unauthorized', 'unable to authenticate')
  if (project.access === 'none') return failure(403, 'forbidden', 'insufficient permissions')
  if (project.access === 'read' && request.method !== 'GET') return failure(403, 'token_readonly', 'token is read only')
  const url = new URL(request.path, 'http://vendor')
  const parsed = parseJson(request.body)
  project.servers.splice(0, Infinity, ...project.servers.filter((server) => !isGone(state.now(), server)))
  const call: Call = { state, project, query: url.searchParams, body: isObject(parsed) ? parsed : {}, effect }
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /locations':
      return pageOf(call, 'locations', locations)
    case 'GET /server_types':
      return pageOf(call, 'server_types', serverTypes)
    case 'GET /pricing':
      return { status: 200, body: { pricing } }
    case 'GET /ssh_keys':
      return pageOf(call, 'ssh_keys', visible(call, project.keys.filter(matchesFingerprint(call))))
    case 'POST /ssh_keys':
      return addKey(call)
    case 'GET /servers':
      return pageOf(
        call,
        'servers',
        visible(call, project.servers.filter(matchesLabel(call))).map(serverBody(state.now())),
      )
    case 'POST /servers':
      return createServer(call)
  }
  const [, id, rest] = /^\/servers\/(\d+)(\/actions)?$/.exec(url.pathname) ?? []
  return id === undefined ? null : respondServer(call, request.method, Number(id), rest !== undefined)
}

function respondServer(call: Call, method: string, id: number, isActions: boolean): SimulatedResponse | null {
  const server = call.project.servers.find((one) => one.id === id)
  if (!server) return failure(404, 'not_found', `server with ID '${id}' not found`)
  if (method === 'GET' && isActions) {
    const status = call.query.get('status')
    const actions = actionsOf(call.state.now(), server).filter((action) => status === null || action.status === status)
    return pageOf(call, 'actions', call.query.get('sort') === 'id:desc' ? actions.toReversed() : actions)
  }
  if (method === 'GET') return { status: 200, body: { server: serverBody(call.state.now())(server) } }
  if (method !== 'DELETE' || isActions) return null
  if (isLocked(call.state.now(), server)) return failure(423, 'locked', 'server is locked')
  server.deletedAt = call.state.now()
  if (server.ipv4 !== null) call.state.cloud?.stop(server.ipv4)
  return { status: 200, body: { action: actionsOf(call.state.now(), server).at(-1) } }
}

/** A list that lags doesn't have the newest entry yet. */
const visible = <T>({ effect }: Call, entries: readonly T[]): readonly T[] =>
  effect === 'lag' ? entries.slice(0, -1) : entries

function pageOf({ state, query }: Call, name: string, entries: readonly unknown[]): SimulatedResponse {
  const page = Number(query.get('page') ?? 1)
  const perPage = Math.min(Number(query.get('per_page') ?? 25), state.pageLimit ?? 50)
  const last = Math.max(1, Math.ceil(entries.length / perPage))
  const pagination = {
    page,
    per_page: perPage,
    previous_page: page > 1 ? page - 1 : null,
    next_page: page < last ? page + 1 : null,
    last_page: last,
    total_entries: entries.length,
  }
  const items = entries.slice((page - 1) * perPage, page * perPage)
  return { status: 200, body: { [name]: items, meta: { pagination } } }
}

const matchesFingerprint =
  ({ query }: Call) =>
  (key: SshKey) =>
    query.get('fingerprint') === null || query.get('fingerprint') === key.fingerprint

const matchesLabel =
  ({ query }: Call) =>
  ({ labels }: HetznerServer) => {
    const [name = '', value] = (query.get('label_selector') ?? '').split(/==?/)
    return name === '' || (Object.hasOwn(labels, name) && (value === undefined || labels[name] === value))
  }

function addKey({ state, project, body }: Call): SimulatedResponse {
  const {
    name,
    public_key,
    labels = {},
  } = body as { name: string; public_key: string; labels?: Record<string, string> }
  const blob = Buffer.from(public_key.split(' ')[1] ?? '', 'base64')
  const fingerprint = (createHash('md5').update(blob).digest('hex').match(/../g) ?? []).join(':')
  if (project.keys.some((key) => key.name === name || key.fingerprint === fingerprint))
    return failure(409, 'uniqueness_error', 'SSH key not unique')
  const key: SshKey = { id: nextId(state), name, fingerprint, public_key, labels, created: iso(state.now()) }
  project.keys.push(key)
  return { status: 201, body: { ssh_key: key } }
}

function createServer({ state, project, body, effect }: Call): SimulatedResponse {
  const {
    name,
    server_type,
    location,
    labels = {},
  } = body as Record<string, string> & { labels?: Record<string, string> }
  const { ssh_keys = [], image, user_data = '' } = body as { ssh_keys?: number[]; image: unknown; user_data?: string }
  const type = serverTypes.find((one) => one.name === server_type)
  const where = locations.find((one) => one.name === location)
  const invalid = (field: string) => failure(422, 'invalid_input', `invalid input in field '${field}'`)
  if (name === undefined || !/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/i.test(name)) return invalid('name')
  if (!type) return invalid('server_type')
  if (!where) return invalid('location')
  if (image !== 'ubuntu-24.04') return invalid('image')
  if (Buffer.byteLength(user_data) > 32 * 1024) return invalid('user_data')
  if (!ssh_keys.every((id) => project.keys.some((key) => key.id === id))) return invalid('ssh_keys')
  if (project.servers.some((one) => one.name === name))
    return failure(409, 'uniqueness_error', 'server name is already used')
  if (type.locations.find((one) => one.name === location)?.available !== true)
    return failure(412, 'resource_unavailable', `server type ${type.name} is not available in ${where.name}`)
  const keys = project.keys.filter(({ id }) => ssh_keys.includes(id)).map(({ public_key }) => public_key)
  const size = { vcpu: type.cores, ramBytes: type.memory * 1024 ** 3, diskBytes: type.disk * 1e9 }
  const ipv4 = state.cloud?.start({ name, ...size, keys, userData: user_data })
  if (ipv4 === null) return failure(403, 'resource_limit_exceeded', 'primary ip limit exceeded')
  const server: HetznerServer = {
    id: nextId(state),
    ipv4: ipv4 ?? null,
    name,
    type,
    location: where,
    labels,
    createdAt: state.now(),
    failsToStart: effect === 'fail_later',
    deletedAt: null,
  }
  project.servers.push(server)
  const [action, ...next_actions] = actionsOf(state.now(), server)
  const root_password = ssh_keys.length === 0 ? 'n3ver-l0gged-anywhere' : null
  return { status: 201, body: { server: serverBody(state.now())(server), action, next_actions, root_password } }
}

function nextId(state: State): number {
  state.lastId += 1
  return state.lastId
}
