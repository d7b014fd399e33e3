import { createHash } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import * as z from 'zod/mini'
import { AppError } from '#shared/errors.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { operationLabel, type Machine, type MachineOrder, type Machines } from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import { createOnce, sendRequest, type VendorApi } from '../vendor-api.ts'
import { actionFailure, readList, readOne } from './hetzner-api.ts'

/** Name of Ubuntu 24.04 LTS; the vendor picks the image of the type's architecture. */
const image = 'ubuntu-24.04'

/** Between two looks at a server's running actions, and how often at most: a server is set up in less than a minute. */
const actionPollMs = 2000
const maxActionPolls = 60

export function hetznerMachines(api: VendorApi): Machines {
  return {
    ensureKey: (publicKey, _region, signal) => ensureKey(api, publicKey, signal),
    create: (order, signal) => create(api, order, signal),
    observe: (id, signal) => observe(api, id, signal),
    delete: (id, signal) => remove(api, id, signal),
    list: ({ name, value }, signal) => list(api, value === undefined ? name : `${name}==${value}`, signal),
  }
}

const text = z.string().check(z.maxLength(300))

const sshKey = z.object({ id: z.int() })

/** A project has each key once, found by its MD5 fingerprint. */
async function ensureKey(api: VendorApi, publicKey: string, signal?: AbortSignal): Promise<string> {
  const key = parseSshPublicKey(publicKey)
  if ('problem' in key) throw new AppError('invalid', key.problem)
  const md5 = createHash('md5').update(Buffer.from(key.base64, 'base64')).digest('hex')
  const fingerprint = (md5.match(/../g) ?? []).join(':')
  const find = async () => {
    const [found] = await readList(
      api,
      { path: '/ssh_keys', query: { fingerprint }, signal },
      'ssh_keys',
      z.array(sshKey),
    )
    return found ? String(found.id) : null
  }
  const add = async () => {
    const body = JSON.stringify({ name: `easydash-${md5.slice(0, 12)}`, public_key: `${key.kind} ${key.base64}` })
    const made = await readOne(api, { method: 'POST', path: '/ssh_keys', body, signal }, z.object({ ssh_key: sshKey }))
    return String(made.ssh_key.id)
  }
  return createOnce(api, { find, create: add }, signal)
}

const server = z.object({
  id: z.int(),
  name: text,
  status: text,
  created: text,
  public_net: z.object({
    ipv4: z.nullable(z.object({ ip: text })),
    ipv6: z.nullable(z.object({ ip: text })),
  }),
  server_type: z.object({ name: text }),
  location: z.object({ name: text }),
  labels: z.record(z.string(), z.string()),
})

/** The label finds the server again; its name, unique in the project, prevents a second one even if lists lag behind. */
async function create(api: VendorApi, order: MachineOrder, signal?: AbortSignal): Promise<Machine> {
  const { operation } = order
  if (!/^[a-z0-9]{1,32}$/.test(operation)) throw new Error(`Not an operation: ${operation}`)
  const find = async () => (await list(api, `${operationLabel}==${operation}`, signal))[0] ?? null
  const post = async () => {
    const body = JSON.stringify({
      name: serverName(order),
      server_type: order.type,
      location: order.region,
      image,
      ssh_keys: order.keys.map(Number),
      user_data: order.userData,
      labels: { ...order.labels, [operationLabel]: operation },
    })
    const made = await readOne(api, { method: 'POST', path: '/servers', body, signal }, z.object({ server }))
    return machineOf(made.server)
  }
  return createOnce(api, { find, create: post }, signal)
}

/** A label of a host name (RFC 1123) that no other operation has. */
function serverName({ name, operation }: MachineOrder): string {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const start = trimEnd(slug.slice(slug.startsWith('-') ? 1 : 0, 62 - operation.length), '-')
  return start === '' ? operation : `${start}-${operation}`
}

async function observe(api: VendorApi, id: string, signal?: AbortSignal): Promise<Machine | null> {
  try {
    const found = await readOne(api, { path: pathOf(id), signal }, z.object({ server }))
    const machine = machineOf(found.server)
    if (machine.status !== 'running') await checkStart(api, id, signal)
    return machine
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

const actions = z.array(
  z.object({ command: text, status: text, error: z.nullable(z.object({ code: text, message: z.string() })) }),
)

/** Throws if the last thing that happened to a server was that it could not be created or started. */
async function checkStart(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  const [last] = (
    await readOne(
      api,
      { path: `${pathOf(id)}/actions`, query: { sort: 'id:desc', per_page: '1' }, signal },
      z.object({ actions }),
    )
  ).actions
  if (last?.error && ['create_server', 'start_server'].includes(last.command)) throw actionFailure(api, last.error)
}

/** A server that is still being created is locked: then its actions come first. */
async function remove(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  const send = () => sendRequest(api, { method: 'DELETE', path: pathOf(id), signal })
  try {
    await send().catch(async (error: unknown) => {
      if (!(error instanceof ProviderError) || error.vendorCode !== 'locked') throw error
      await waitForActions(api, id, signal)
      await send()
    })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

async function waitForActions(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  for (let poll = 0; poll < maxActionPolls; poll += 1) {
    const running = { path: `${pathOf(id)}/actions`, query: { status: 'running' }, signal }
    if ((await readOne(api, running, z.object({ actions }))).actions.length === 0) return
    await api.transport.sleep(actionPollMs, signal)
  }
}

async function list(api: VendorApi, selector: string, signal?: AbortSignal): Promise<Machine[]> {
  const found = await readList(
    api,
    { path: '/servers', query: { label_selector: selector, sort: 'id:asc' }, signal },
    'servers',
    z.array(server),
  )
  return found.map(machineOf)
}

const isNotFound = (error: unknown) => error instanceof ProviderError && error.kind === 'not_found'

function pathOf(id: string): string {
  if (!/^\d{1,16}$/.test(id)) throw new Error(`Not an id of a server: ${id}`)
  return `/servers/${id}`
}

const statuses: ReadonlyMap<string, Machine['status']> = new Map([
  ['initializing', 'starting'],
  ['starting', 'starting'],
  ['running', 'running'],
  ['stopping', 'off'],
  ['off', 'off'],
  ['deleting', 'deleting'],
])

function machineOf(found: z.infer<typeof server>): Machine {
  const { ipv4, ipv6 } = found.public_net
  // The vendor gives a network of IPv6, of which the machine has the first address.
  const first = ipv6 && /^([0-9a-f:]+::)\/64$/.test(ipv6.ip) ? ipv6.ip.replace('/64', '1') : ''
  return {
    id: String(found.id),
    name: found.name,
    status: statuses.get(found.status) ?? 'unknown',
    ipv4: ipv4 && isIPv4(ipv4.ip) ? ipv4.ip : null,
    ipv6: isIP(first) === 6 ? first : null,
    region: found.location.name,
    type: found.server_type.name,
    labels: found.labels,
    createdAt: found.created,
  }
}
