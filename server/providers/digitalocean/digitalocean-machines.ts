import { isIP, isIPv4 } from 'node:net'
import * as z from 'zod/mini'
import { accountKey, checkOperation, machineName } from '../orders.ts'
import { operationLabel, type Machine, type MachineOrder, type Machines } from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import { createOnce, listLagMs, nullIfMissing, readOne, sendRequest, type VendorApi } from '../vendor-api.ts'
import { checkLastAction, digitaloceanActions, dropletPath, waitForActions } from './digitalocean-actions.ts'
import { readList } from './digitalocean-api.ts'

/** Slug of Ubuntu 24.04 LTS. */
const image = 'ubuntu-24-04-x64'

export function digitaloceanMachines(api: VendorApi): Machines {
  return {
    ensureKey: (publicKey, _region, signal) => ensureKey(api, publicKey, signal),
    create: (order, signal) => create(api, order, signal),
    observe: (id, signal) => observe(api, id, signal),
    delete: (id, signal) => remove(api, id, signal),
    list: ({ name, value }, signal) => list(api, name, value, signal),
    ...digitaloceanActions(api),
  }
}

const text = z.string().check(z.maxLength(300))

const keyAnswer = z.object({ ssh_key: z.object({ id: z.int() }) })

/** An account has each key once, found by its MD5 fingerprint. */
async function ensureKey(api: VendorApi, publicKey: string, signal?: AbortSignal): Promise<string> {
  const { name, line, fingerprint } = accountKey(publicKey)
  const path = '/v2/account/keys'
  const body = JSON.stringify({ name, public_key: line })
  const { ssh_key: key } = await createOnce(
    api,
    {
      find: () => nullIfMissing(readOne(api, { path: `${path}/${fingerprint}`, signal }, keyAnswer)),
      create: () => readOne(api, { method: 'POST', path, body, signal }, keyAnswer),
    },
    signal,
  )
  return String(key.id)
}

const address = z.object({ ip_address: text, type: text })
const droplet = z.object({
  id: z.int(),
  name: text,
  status: text,
  created_at: text,
  networks: z.object({ v4: z.array(address), v6: z.array(address) }),
  size_slug: text,
  region: z.object({ slug: text }),
  tags: z.array(text),
})

/**
 * Tags have no dots and labels no colons: the first colon of a tag separates the name of a label from its value, the others are
 * dots of the value.
 */
const tagOf = (name: string, value: string): string => `${name}:${value.replaceAll('.', ':')}`

function labelsOf(tags: readonly string[]): Record<string, string> {
  const pairs = tags.map((tag) => tag.split(':')).filter(({ length }) => length > 1)
  return Object.fromEntries(pairs.map(([name = '', ...value]) => [name, value.join('.')]))
}

/**
 * Nothing at the vendor prevents a second droplet of an operation, when two processes create it at once, or an answer was lost and
 * lists lag behind. So whoever asked for one looks again when lists show it, and all agree on the oldest.
 */
async function create(api: VendorApi, order: MachineOrder, signal?: AbortSignal): Promise<Machine> {
  const { operation } = order
  checkOperation(operation)
  let wasAsked = false
  /** The oldest of them and `made`; the others are deleted. */
  const find = async (made?: Machine) => {
    if (wasAsked) await api.transport.sleep(listLagMs, signal)
    const listed = await list(api, operationLabel, operation, signal)
    const all = made && !listed.some(({ id }) => id === made.id) ? [...listed, made] : listed
    const [oldest, ...doubles] = all.toSorted(byAge)
    for (const { id } of doubles) await remove(api, id, signal)
    return oldest ?? null
  }
  const post = async () => {
    const body = JSON.stringify({
      name: machineName(order),
      region: order.region,
      size: order.type,
      image,
      ssh_keys: order.keys.map(Number),
      ipv6: true,
      user_data: order.userData,
      tags: Object.entries({ ...order.labels, [operationLabel]: operation }).map(([name, value]) => tagOf(name, value)),
    })
    wasAsked = true
    const answer = await readOne(api, { method: 'POST', path: '/v2/droplets', body, signal }, z.object({ droplet }))
    const made = machineOf(answer.droplet)
    return (await find(made)) ?? made
  }
  return createOnce(api, { find, create: post }, signal)
}

/** Ids are given in order. */
const byAge = (one: Machine, other: Machine): number => Number(one.id) - Number(other.id)

async function observe(api: VendorApi, id: string, signal?: AbortSignal): Promise<Machine | null> {
  const read = async () => {
    const found = await readOne(api, { path: dropletPath(id), signal }, z.object({ droplet }))
    await checkLastAction(api, id, signal)
    return machineOf(found.droplet)
  }
  return nullIfMissing(read())
}

/** A droplet that is still being created is locked: then its action comes first. */
async function remove(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  const send = () => sendRequest(api, { method: 'DELETE', path: dropletPath(id), signal })
  await nullIfMissing(
    send().catch(async (error: unknown) => {
      if (!(error instanceof ProviderError) || error.kind !== 'conflict') throw error
      await waitForActions(api, id, signal)
      await send()
    }),
  )
}

/** The vendor finds whole tags only: for a label with any value, all droplets are read. */
async function list(
  api: VendorApi,
  name: string,
  value: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Machine[]> {
  const request = {
    path: '/v2/droplets',
    ...(value !== undefined && { query: { tag_name: tagOf(name, value) } }),
    signal,
  }
  const found = await readList(api, request, 'droplets', z.array(droplet))
  const has = ({ labels }: Machine) => Object.hasOwn(labels, name) && (value === undefined || labels[name] === value)
  return found.map(machineOf).filter(has).toSorted(byAge)
}

const statuses: ReadonlyMap<string, Machine['status']> = new Map([
  ['new', 'starting'],
  ['active', 'running'],
  ['off', 'off'],
  ['archive', 'deleting'],
])

function machineOf({ id, name, status, networks, ...found }: z.infer<typeof droplet>): Machine {
  const addressIn = (list: typeof networks.v4) => list.find(({ type }) => type === 'public')?.ip_address ?? ''
  const [ipv4, ipv6] = [addressIn(networks.v4), addressIn(networks.v6)]
  return {
    id: String(id),
    name,
    status: statuses.get(status) ?? 'unknown',
    ipv4: isIPv4(ipv4) ? ipv4 : null,
    ipv6: isIP(ipv6) === 6 ? ipv6 : null,
    region: found.region.slug,
    type: found.size_slug,
    labels: labelsOf(found.tags),
    createdAt: found.created_at,
  }
}
