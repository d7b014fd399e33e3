import { isIP, isIPv4 } from 'node:net'
import * as z from 'zod/mini'
import { accountKey, checkOperation, machineName } from '../orders.ts'
import { operationLabel, type Machine, type MachineOrder, type Machines } from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import { createOnce, nullIfMissing, readOne, sendRequest, type VendorApi } from '../vendor-api.ts'
import { checkLastAction, hetznerActions, serverPath, waitForActions } from './hetzner-actions.ts'
import { readList } from './hetzner-api.ts'

/** Name of Ubuntu 24.04 LTS; the vendor picks the image of the type's architecture. */
const image = 'ubuntu-24.04'

export function hetznerMachines(api: VendorApi): Machines {
  return {
    ensureKey: (publicKey, _region, signal) => ensureKey(api, publicKey, signal),
    create: (order, signal) => create(api, order, signal),
    observe: (id, signal) => observe(api, id, signal),
    delete: (id, signal) => remove(api, id, signal),
    list: ({ name, value }, signal) => list(api, value === undefined ? name : `${name}==${value}`, signal),
    ...hetznerActions(api),
  }
}

const text = z.string().check(z.maxLength(300))

const sshKey = z.object({ id: z.int() })

/** A project has each key once, found by its MD5 fingerprint. */
async function ensureKey(api: VendorApi, publicKey: string, signal?: AbortSignal): Promise<string> {
  const { name, line, fingerprint } = accountKey(publicKey)
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
    const body = JSON.stringify({ name, public_key: line })
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
  checkOperation(operation)
  const find = async () => (await list(api, `${operationLabel}==${operation}`, signal))[0] ?? null
  const post = async () => {
    const body = JSON.stringify({
      name: machineName(order),
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

async function observe(api: VendorApi, id: string, signal?: AbortSignal): Promise<Machine | null> {
  const read = async () => {
    const found = await readOne(api, { path: serverPath(id), signal }, z.object({ server }))
    await checkLastAction(api, id, signal)
    return machineOf(found.server)
  }
  return nullIfMissing(read())
}

/** A server that is still being created is locked: then its actions come first. */
async function remove(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  const send = () => sendRequest(api, { method: 'DELETE', path: serverPath(id), signal })
  await nullIfMissing(
    send().catch(async (error: unknown) => {
      if (!(error instanceof ProviderError) || error.vendorCode !== 'locked') throw error
      await waitForActions(api, id, signal)
      await send()
    }),
  )
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

const statuses: ReadonlyMap<string, Machine['status']> = new Map([
  ['initializing', 'starting'],
  ['starting', 'starting'],
  ['running', 'running'],
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
