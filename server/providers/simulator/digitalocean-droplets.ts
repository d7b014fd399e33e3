import { iso, visible } from './account.ts'
import { nextId, notFound, pageOf, refusal, type Call, type Droplet, type DropletImage } from './digitalocean-call.ts'
import { account, regions, sizes, ubuntu, type DigitalOceanSize } from './digitalocean-catalog.ts'
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

/** The description says nothing of most limits: they are the vendor's rules for tags, names and user data. */
export function createDroplet(call: Call): SimulatedResponse {
  const { state, team, body } = call
  const { name = '', region, size: slug, image, user_data = '' } = body as Record<string, string>
  const { ssh_keys = [], tags = [] } = body as { ssh_keys?: number[]; tags?: string[] }
  const where = regions.find((one) => one.slug === region)
  const size = sizes.find((one) => one.slug === slug)
  if (!/^[a-zA-Z0-9.-]{1,255}$/.test(name)) return refusal('Only valid hostname characters are allowed.')
  if (!where) return refusal('You specified an invalid region for Droplet creation.')
  if (!size) return refusal('You specified an invalid size for Droplet creation.')
  if (image !== ubuntu.slug) return refusal('You specified an invalid image for Droplet creation.')
  if (Buffer.byteLength(user_data) > 64 * 1024) return refusal('User data is too long.')
  if (!tags.every((tag) => /^[a-zA-Z0-9_:-]{1,255}$/.test(tag))) return refusal('Tag name is invalid.')
  if (!ssh_keys.every((id) => team.keys.some((key) => key.id === id))) return refusal(`${ssh_keys} are invalid keys.`)
  if (!where.available) return refusal('Region is not available')
  if (!isAvailable(size, where.slug)) return refusal('Size is not available in this region.')
  const keys = team.keys.filter(({ id }) => ssh_keys.includes(id)).map(({ public_key }) => public_key)
  const machine = { name, vcpu: size.vcpus, ramBytes: size.memory * 2 ** 20, diskBytes: size.disk * 2 ** 30, keys }
  const isFull = team.droplets.length >= account.droplet_limit
  const ipv4 = isFull ? null : state.cloud?.start({ ...machine, userData: user_data })
  if (ipv4 === null) return limitReached
  const id = nextId(state)
  const droplet: Droplet = { id, ipv4: ipv4 ?? null, name, firstType: size, region: where, tags, events: [] }
  team.droplets.push(droplet)
  const action = askFor(call, droplet, 'launch')
  const href = `https://api.digitalocean.com/v2/actions/${action.id}`
  const links = { actions: [{ id: action.id, rel: 'create', href }] }
  return { status: 202, body: { droplet: dropletBody(state.now())(droplet), links } }
}

export const limitReached = refusal('creating this/these droplet(s) will exceed your droplet limit')

const isAvailable = (size: DigitalOceanSize, region: string) => size.available && size.regions.includes(region)

/** Below `/v2/droplets/{id}`; null for what the vendor doesn't have. */
export function respondDroplet(call: Call, method: string, id: number, rest: string): SimulatedResponse | null {
  const { state, team } = call
  const droplet = team.droplets.find((one) => one.id === id)
  if (!droplet) return notFound
  const now = state.now()
  const isLocked = isBusy(now, droplet)
  switch (`${method} ${rest}`) {
    case 'GET ':
      return { status: 200, body: { droplet: dropletBody(now)(droplet) } }
    case 'DELETE ':
      if (isLocked) return pending
      askFor(call, droplet, 'delete')
      return { status: 204, body: null }
    case 'GET /actions':
      return pageOf(call, 'actions', droplet.events.map((event) => actionBody(now, droplet, event)).toReversed())
    case 'POST /actions':
      return isLocked ? pending : act(call, droplet)
    default:
      return null
  }
}

const pending = refusal('Droplet already has a pending event.')

function act(call: Call, droplet: Droplet): SimulatedResponse {
  const { state, team, body } = call
  const power = stateAt(state.now(), droplet)
  const accepted = (event: MachineEvent<DigitalOceanSize>) => ({
    status: 201,
    body: { action: actionBody(state.now(), droplet, event) },
  })
  switch (body['type']) {
    case 'power_off':
      return power === 'off' ? refusal('Droplet is already powered off.') : accepted(askFor(call, droplet, 'stop'))
    case 'power_on':
      return power === 'on' ? refusal('Droplet is already powered on.') : accepted(askFor(call, droplet, 'start'))
    case 'power_cycle':
      return accepted(askFor(call, droplet, 'reset'))
    case 'resize': {
      const size = sizes.find(({ slug }) => slug === body['size'])
      if (power !== 'off') return refusal('Droplet must be off prior to resizing.')
      if (!size) return refusal('You specified an invalid size.')
      if (size.disk < droplet.firstType.disk) return refusal('This size has a smaller disk.')
      if (!isAvailable(size, droplet.region.slug)) return refusal('Size is not available in this region.')
      return accepted(askFor(call, droplet, 'change_type', size))
    }
    case 'snapshot': {
      const event = askFor(call, droplet, 'snapshot')
      team.images.push({ id: nextId(state), name: String(body['name']), droplet, event })
      return accepted(event)
    }
    default:
      return refusal('Type is invalid.')
  }
}

function askFor({ state, effect }: Call, droplet: Droplet, kind: EventKind, type?: DigitalOceanSize) {
  const { cloud } = state
  return ask(droplet, { id: nextId(state), kind, type, fails: effect === 'fail_later', now: state.now(), cloud })
}

/** The account's own images: they appear when they are ready. */
export function listImages(call: Call): SimulatedResponse {
  const { state, team } = call
  const ready = team.images.filter(({ event }) => !event.fails && event.to <= state.now())
  return pageOf(call, 'images', visible(call, ready, ({ event }) => event.to).map(imageBody))
}

const imageBody = ({ id, name, droplet, event }: DropletImage) => ({
  ...ubuntu,
  id,
  name,
  type: 'snapshot',
  slug: null,
  public: false,
  regions: [droplet.region.slug],
  created_at: iso(event.from),
  min_disk_size: droplet.firstType.disk,
  size_gigabytes: 2.34,
  description: '',
})

const types: Readonly<Record<EventKind, string>> = {
  launch: 'create',
  create: '',
  start: 'power_on',
  stop: 'power_off',
  reset: 'power_cycle',
  change_type: 'resize',
  snapshot: 'snapshot',
  delete: 'destroy',
}

function actionBody(now: number, droplet: Droplet, event: MachineEvent<DigitalOceanSize>) {
  const isOver = now >= event.to
  return {
    id: event.id,
    status: !isOver ? 'in-progress' : event.fails ? 'errored' : 'completed',
    type: types[event.kind],
    started_at: iso(event.from),
    completed_at: isOver ? iso(event.to) : null,
    resource_id: droplet.id,
    resource_type: 'droplet',
    region: droplet.region,
    region_slug: droplet.region.slug,
  }
}

const statuses: Readonly<Record<MachineState, string>> = {
  new: 'new',
  starting: 'off',
  on: 'active',
  stopping: 'active',
  off: 'off',
  deleting: 'archive',
  gone: 'archive',
}

/** A droplet in the API's form. */
export const dropletBody = (now: number) => (droplet: Droplet) => {
  const { id, name, firstType, region, tags } = droplet
  const size = typeAt(now, droplet)
  const state = stateAt(now, droplet)
  // 198.18.0.0/15 is for tests of network devices (RFC 2544), 2001:db8::/32 for documentation (RFC 3849).
  const ip_address = droplet.ipv4 ?? `198.19.${id >> 8}.${id & 255}`
  return {
    id,
    name,
    memory: size.memory,
    vcpus: size.vcpus,
    disk: firstType.disk,
    disk_info: firstType.disk_info,
    locked: isBusy(now, droplet),
    status: statuses[state],
    kernel: null,
    created_at: iso(createdAt(droplet)),
    features: ['ipv6', 'droplet_agent', 'private_networking'],
    backup_ids: [],
    next_backup_window: null,
    snapshot_ids: [],
    image: ubuntu,
    volume_ids: [],
    size,
    size_slug: size.slug,
    networks:
      state === 'new'
        ? { v4: [], v6: [] }
        : {
            v4: [
              { ip_address: '10.106.0.2', netmask: '255.255.240.0', gateway: '10.106.0.1', type: 'private' },
              { ip_address, netmask: '255.255.240.0', gateway: '198.18.0.254', type: 'public' },
            ],
            v6: [{ ip_address: `2001:db8::${id.toString(16)}`, netmask: 64, gateway: '2001:db8::1', type: 'public' }],
          },
    region,
    tags,
    vpc_uuid: '760e09ef-dc84-11e8-981e-3cfdfeaae000',
  }
}
