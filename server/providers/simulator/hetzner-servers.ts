import { iso, visible } from './account.ts'
import {
  failure,
  matchesLabel,
  nextId,
  pageOf,
  type Call,
  type HetznerImage,
  type HetznerServer,
} from './hetzner-call.ts'
import { locations, serverTypes, ubuntu, type HetznerServerType } from './hetzner-catalog.ts'
import {
  ask,
  createdAt,
  isBusy,
  stateAt,
  typeAt,
  type EventKind,
  type MachineEvent,
  type MachineState,
} from './machine-life.ts'
import type { SimulatedResponse } from './simulated-vendor.ts'

const invalid = (field: string) => failure(422, 'invalid_input', `invalid input in field '${field}'`)

export function createServer(call: Call): SimulatedResponse {
  const { state, project, body } = call
  const {
    name,
    server_type,
    location,
    labels = {},
  } = body as Record<string, string> & {
    labels?: Record<string, string>
  }
  const { ssh_keys = [], image, user_data = '' } = body as { ssh_keys?: number[]; image: unknown; user_data?: string }
  const type = serverTypes.find((one) => one.name === server_type)
  const where = locations.find((one) => one.name === location)
  if (name === undefined || !/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/i.test(name)) return invalid('name')
  if (!type) return invalid('server_type')
  if (!where) return invalid('location')
  if (image !== 'ubuntu-24.04') return invalid('image')
  if (Buffer.byteLength(user_data) > 32 * 1024) return invalid('user_data')
  if (!ssh_keys.every((id) => project.keys.some((key) => key.id === id))) return invalid('ssh_keys')
  if (project.servers.some((one) => one.name === name))
    return failure(409, 'uniqueness_error', 'server name is already used')
  if (!isAvailable(type, where.name))
    return failure(412, 'resource_unavailable', `server type ${type.name} is not available in ${where.name}`)
  const keys = project.keys.filter(({ id }) => ssh_keys.includes(id)).map(({ public_key }) => public_key)
  const size = { vcpu: type.cores, ramBytes: type.memory * 1024 ** 3, diskBytes: type.disk * 2 ** 30 }
  const ipv4 = state.cloud?.start({ name, ...size, keys, userData: user_data })
  if (ipv4 === null) return failure(403, 'resource_limit_exceeded', 'primary ip limit exceeded')
  const id = nextId(state)
  const server: HetznerServer = { id, ipv4: ipv4 ?? null, name, firstType: type, location: where, labels, events: [] }
  project.servers.push(server)
  const now = state.now()
  const action = actionBody(now, server, askFor({ ...call, effect: null }, server, 'create'))
  const next_actions = [actionBody(now, server, askFor(call, server, 'start'))]
  const root_password = ssh_keys.length === 0 ? 'n3ver-l0gged-anywhere' : null
  return { status: 201, body: { server: serverBody(now)(server), action, next_actions, root_password } }
}

const isAvailable = (type: HetznerServerType, location: string) =>
  type.locations.find((one) => one.name === location)?.available === true

/** Below `/servers/{id}`; null for what the vendor doesn't have. */
export function respondServer(call: Call, method: string, id: number, rest: string): SimulatedResponse | null {
  const { state, project } = call
  const server = project.servers.find((one) => one.id === id)
  if (!server) return failure(404, 'not_found', `server with ID '${id}' not found`)
  const now = state.now()
  switch (`${method} ${rest}`) {
    case 'GET ':
      return { status: 200, body: { server: serverBody(now)(server) } }
    case 'GET /actions':
      return listActions(call, server)
  }
  if (isBusy(now, server)) return failure(423, 'locked', 'server is locked')
  const accepted = (kind: EventKind) => ({
    status: 201,
    body: { action: actionBody(now, server, askFor(call, server, kind)) },
  })
  switch (`${method} ${rest}`) {
    case 'DELETE ':
      return { ...accepted('delete'), status: 200 }
    case 'POST /actions/poweroff':
      return accepted('stop')
    case 'POST /actions/poweron':
      return accepted('start')
    case 'POST /actions/reset':
      return accepted('reset')
    case 'POST /actions/change_type':
      return changeType(call, server)
    case 'POST /actions/create_image':
      return createImage(call, server)
    default:
      return null
  }
}

function listActions(call: Call, server: HetznerServer): SimulatedResponse {
  const now = call.state.now()
  const status = call.query.get('status')
  const actions = server.events
    .map((event) => actionBody(now, server, event))
    .filter((action) => status === null || action.status === status)
  return pageOf(call, 'actions', call.query.get('sort') === 'id:desc' ? actions.toReversed() : actions)
}

function askFor({ state, effect }: Call, server: HetznerServer, kind: EventKind, type?: HetznerServerType) {
  const { cloud } = state
  return ask(server, { id: nextId(state), kind, type, fails: effect === 'fail_later', now: state.now(), cloud })
}

/** The disk stays, so it has to fit. The vendor starts the server afterwards. */
function changeType(call: Call, server: HetznerServer): SimulatedResponse {
  const type = serverTypes.find(({ name }) => name === call.body['server_type'])
  if (stateAt(call.state.now(), server) !== 'off') return failure(422, 'server_not_stopped', 'server must be stopped')
  if (!type) return invalid('server_type')
  if (type.disk < server.firstType.disk || type.architecture !== server.firstType.architecture)
    return failure(422, 'invalid_server_type', 'server type does not fit')
  if (!isAvailable(type, server.location.name))
    return failure(412, 'resource_unavailable', `server type ${type.name} is not available`)
  const event = askFor(call, server, 'change_type', type)
  if (call.effect !== 'fail_later') askFor(call, server, 'start')
  return { status: 201, body: { action: actionBody(call.state.now(), server, event) } }
}

function createImage(call: Call, server: HetznerServer): SimulatedResponse {
  const { state, project, body } = call
  const { description, labels } = body as { description: string; labels: Record<string, string> }
  const event = askFor(call, server, 'snapshot')
  const image: HetznerImage = { id: nextId(state), description, labels, server, event }
  project.images.push(image)
  const now = state.now()
  return { status: 201, body: { image: imageBody(now)(image), action: actionBody(now, server, event) } }
}

/** `/images`, and one of them. */
export function respondImages(call: Call, id: string): SimulatedResponse {
  const { state, project } = call
  const body = imageBody(state.now())
  const found = visible(call, project.images.filter(matchesLabel(call)), ({ event }) => event.from)
  if (id === '') return pageOf(call, 'images', found.map(body))
  const image = project.images.find((one) => one.id === Number(id))
  return image ? { status: 200, body: { image: body(image) } } : failure(404, 'not_found', 'image not found')
}

const imageBody = (now: number) => (image: HetznerImage) => {
  const { server, event } = image
  const status = now < event.to ? 'creating' : event.fails ? 'unavailable' : 'available'
  return {
    ...ubuntu(server.firstType.architecture),
    id: image.id,
    type: 'snapshot',
    status,
    name: null,
    description: image.description,
    image_size: status === 'available' ? 2.3 : null,
    disk_size: server.firstType.disk,
    created: iso(event.from),
    created_from: { id: server.id, name: server.name },
    rapid_deploy: false,
    labels: image.labels,
  }
}

const commands: Readonly<Record<EventKind, string>> = {
  launch: '',
  create: 'create_server',
  start: 'start_server',
  stop: 'stop_server',
  reset: 'reset_server',
  change_type: 'change_server_type',
  snapshot: 'create_image',
  delete: 'delete_server',
}

function actionBody(now: number, server: HetznerServer, event: MachineEvent<HetznerServerType>) {
  const isOver = now >= event.to
  const status = !isOver ? 'running' : event.fails ? 'error' : 'success'
  return {
    id: event.id,
    command: commands[event.kind],
    status,
    progress: isOver ? 100 : 0,
    started: iso(event.from),
    finished: isOver ? iso(event.to) : null,
    resources: [{ id: server.id, type: 'server' }],
    error: status === 'error' ? { code: 'action_failed', message: 'Action failed' } : null,
  }
}

const statuses: Readonly<Record<MachineState, string>> = {
  new: 'initializing',
  starting: 'starting',
  on: 'running',
  stopping: 'stopping',
  off: 'off',
  deleting: 'deleting',
  gone: 'deleting',
}

/** A server in the API's form. */
export const serverBody = (now: number) => (server: HetznerServer) => ({
  id: server.id,
  name: server.name,
  status: statuses[stateAt(now, server)],
  created: iso(createdAt(server)),
  public_net: {
    // 198.18.0.0/15 is for tests of network devices (RFC 2544), 2001:db8::/32 for documentation (RFC 3849).
    ipv4: {
      id: server.id * 10 + 4,
      ip: server.ipv4 ?? `198.19.${server.id >> 8}.${server.id & 255}`,
      blocked: false,
      dns_ptr: '',
    },
    ipv6: { id: server.id * 10 + 6, ip: `2001:db8:0:${server.id.toString(16)}::/64`, blocked: false, dns_ptr: [] },
    floating_ips: [],
    firewalls: [],
  },
  private_net: [],
  server_type: typeAt(now, server),
  location: server.location,
  image: ubuntu(server.firstType.architecture),
  iso: null,
  rescue_enabled: false,
  locked: isBusy(now, server),
  backup_window: null,
  outgoing_traffic: null,
  ingoing_traffic: null,
  included_traffic: 20 * 2 ** 40,
  protection: { delete: false, rebuild: false },
  labels: server.labels,
  volumes: [],
  load_balancers: [],
  primary_disk_size: server.firstType.disk,
})
