import * as z from 'zod/mini'
import { checkOperation } from '../orders.ts'
import type { Machines, Snapshot, SnapshotOrder } from '../provider.ts'
import { actionFailure, vendorText } from '../provider-error.ts'
import { createOnce, nullIfMissing, readOne, sendRequest, type VendorApi } from '../vendor-api.ts'
import { readList } from './digitalocean-api.ts'

/** Between two looks at a droplet's running action, and how often at most: most end in less than a minute. */
const actionPollMs = 2000
const maxActionPolls = 60

/** What is done with droplets that exist. */
export function digitaloceanActions(
  api: VendorApi,
): Pick<Machines, 'powerOff' | 'powerOn' | 'reset' | 'changeType' | 'snapshot' | 'observeSnapshot'> {
  return {
    powerOff: (id, signal) => act(api, id, { type: 'power_off' }, hasStatus('off'), signal),
    powerOn: (id, signal) => act(api, id, { type: 'power_on' }, hasStatus('active'), signal),
    reset: (id, signal) => reset(api, id, signal),
    changeType: (id, size, signal) =>
      act(api, id, { type: 'resize', size, disk: false }, ({ size_slug: now }) => now === size, signal),
    snapshot: (order, signal) => snapshot(api, order, signal),
    observeSnapshot: (id, signal) => observeSnapshot(api, id, signal),
  }
}

const text = z.string().check(z.maxLength(300))

export function dropletPath(id: string): string {
  if (!/^\d{1,16}$/.test(id)) throw new Error(`Not an id of a droplet: ${id}`)
  return `/v2/droplets/${id}`
}

const droplet = z.object({ status: text, size_slug: text, locked: z.boolean() })
type Droplet = z.infer<typeof droplet>

/** The droplet when it is free for another action: the vendor allows one at a time. */
export async function waitForActions(api: VendorApi, id: string, signal?: AbortSignal): Promise<Droplet> {
  for (let poll = 0; ; poll += 1) {
    const found = await readOne(api, { path: dropletPath(id), signal }, z.object({ droplet }))
    if (!found.droplet.locked || poll === maxActionPolls) return found.droplet
    await api.transport.sleep(actionPollMs, signal)
  }
}

const action = z.object({ id: z.int(), type: text, status: text })
type Action = z.infer<typeof action>

/** What a droplet was asked for last. The order of the list is not documented. */
async function lastAction(api: VendorApi, id: string, signal?: AbortSignal): Promise<Action | undefined> {
  const request = { path: `${dropletPath(id)}/actions`, query: { per_page: '200' }, signal }
  const { actions } = await readOne(api, request, z.object({ actions: z.array(action) }))
  return actions.toSorted((one, other) => other.id - one.id)[0]
}

/** Throws if an action has failed; the vendor doesn't say why. */
function checkAction(api: VendorApi, { type, status }: Action): void {
  if (status === 'errored') throw actionFailure(null, api.vendor, vendorText(`${type} ${status}`))
}

/** Throws if the last thing that a droplet was asked for has failed. Snapshots are observed for themselves. */
export async function checkLastAction(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  const last = await lastAction(api, id, signal)
  if (last && last.type !== 'snapshot') checkAction(api, last)
}

const hasStatus = (status: string) => (found: Droplet) => found.status === status

/** Asks for an action unless it is done. What runs comes first: it may be this one. */
async function act(
  api: VendorApi,
  id: string,
  body: { readonly type: string; readonly size?: string; readonly disk?: boolean },
  isDone: (found: Droplet) => boolean | Promise<boolean>,
  signal?: AbortSignal,
): Promise<void> {
  const find = async () => ((await isDone(await waitForActions(api, id, signal))) ? true : null)
  const create = async () => {
    const path = `${dropletPath(id)}/actions`
    await sendRequest(api, { method: 'POST', path, body: JSON.stringify(body), signal })
    return true
  }
  await createOnce(api, { find, create }, signal)
}

/** Nothing of a droplet shows that it was reset, except that it was asked for since. */
async function reset(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  const before = await lastAction(api, id, signal)
  const isDone = async () => {
    const last = await lastAction(api, id, signal)
    return last?.type === 'power_cycle' && last.id !== before?.id
  }
  await act(api, id, { type: 'power_cycle' }, isDone, signal)
}

const images = z.array(
  z.object({
    name: text,
    type: text,
    /** In GB of 2^30 bytes. */
    size_gigabytes: z.nullable(z.number()),
  }),
)

/** A snapshot has an id of the vendor only when it is ready: it is known by its droplet and its operation. */
interface SnapshotKey {
  readonly machine: string
  readonly operation: string
}

async function snapshot(api: VendorApi, order: SnapshotOrder, signal?: AbortSignal): Promise<Snapshot> {
  const { operation, machine, label } = order
  checkOperation(operation)
  const path = `${dropletPath(machine)}/actions`
  const find = async () => (await findSnapshot(api, order, signal)).snapshot
  const create = async (): Promise<Snapshot> => {
    await waitForActions(api, machine, signal)
    const body = JSON.stringify({ type: 'snapshot', name: `${label} ${operation}` })
    await sendRequest(api, { method: 'POST', path, body, signal })
    return snapshotOf(order, null)
  }
  return createOnce(api, { find, create }, signal)
}

async function observeSnapshot(api: VendorApi, id: string, signal?: AbortSignal): Promise<Snapshot | null> {
  const [, machine, operation] = /^(\d{1,16})-([a-z0-9]{1,32})$/.exec(id) ?? []
  if (machine === undefined || operation === undefined) throw new Error(`Not an id of a snapshot: ${id}`)
  const { snapshot: found, last } = await findSnapshot(api, { machine, operation }, signal)
  if (!found && last?.type === 'snapshot') checkAction(api, last)
  return found
}

/** The snapshot of an operation, and the last action of its droplet, which may exist no longer. */
async function findSnapshot(api: VendorApi, key: SnapshotKey, signal?: AbortSignal) {
  // The action first: when it has ended, the image is there.
  const last = await nullIfMissing(lastAction(api, key.machine, signal))
  const query = { private: 'true' }
  const all = await readList(api, { path: '/v2/images', query, signal }, 'images', images)
  const image = all.find(({ name, type }) => type === 'snapshot' && name.endsWith(` ${key.operation}`))
  const isRunning = last?.type === 'snapshot' && last.status === 'in-progress'
  return { last, snapshot: image || isRunning ? snapshotOf(key, image ?? null) : null }
}

function snapshotOf({ machine, operation }: SnapshotKey, image: z.infer<typeof images>[number] | null): Snapshot {
  const size = image?.size_gigabytes ?? null
  return {
    id: `${machine}-${operation}`,
    status: image ? 'ready' : 'creating',
    sizeBytes: size === null ? null : Math.round(size * 2 ** 30),
  }
}
