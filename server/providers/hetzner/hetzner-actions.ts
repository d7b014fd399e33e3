import * as z from 'zod/mini'
import { checkOperation } from '../orders.ts'
import { operationLabel, type Machines, type Snapshot, type SnapshotOrder } from '../provider.ts'
import { actionFailure, vendorText } from '../provider-error.ts'
import { createOnce, nullIfMissing, readOne, sendRequest, type VendorApi } from '../vendor-api.ts'
import { actionError, readList } from './hetzner-api.ts'

/** Between two looks at a server's running actions, and how often at most: most end in less than a minute. */
const actionPollMs = 2000
const maxActionPolls = 60

/** What is done with servers that exist. */
export function hetznerActions(
  api: VendorApi,
): Pick<Machines, 'powerOff' | 'powerOn' | 'reset' | 'changeType' | 'snapshot' | 'observeSnapshot'> {
  return {
    powerOff: (id, signal) => act(api, id, 'poweroff', { isDone: hasStatus('off'), signal }),
    powerOn: (id, signal) => act(api, id, 'poweron', { isDone: hasStatus('running'), signal }),
    reset: (id, signal) => reset(api, id, signal),
    changeType: (id, type, signal) =>
      act(api, id, 'change_type', {
        isDone: ({ server_type: now }) => now.name === type,
        body: { server_type: type, upgrade_disk: false },
        signal,
      }),
    snapshot: (order, signal) => snapshot(api, order, signal),
    observeSnapshot: (id, signal) => observeSnapshot(api, id, signal),
  }
}

const text = z.string().check(z.maxLength(300))

export function serverPath(id: string): string {
  if (!/^\d{1,16}$/.test(id)) throw new Error(`Not an id of a server: ${id}`)
  return `/servers/${id}`
}

const server = z.object({ status: text, server_type: z.object({ name: text }) })
type Server = z.infer<typeof server>

const actions = z.array(
  z.object({
    id: z.int(),
    command: text,
    status: text,
    error: z.nullable(z.object({ code: text, message: z.string() })),
  }),
)

/** What a server was asked for last. */
async function lastAction(api: VendorApi, id: string, signal?: AbortSignal) {
  const request = { path: `${serverPath(id)}/actions`, query: { sort: 'id:desc', per_page: '1' }, signal }
  return (await readOne(api, request, z.object({ actions }))).actions[0]
}

/** Throws if the last thing that a server was asked for has failed. Images have their own state. */
export async function checkLastAction(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  const last = await lastAction(api, id, signal)
  if (last?.error && last.command !== 'create_image') throw actionError(api, last.error)
}

/** Waits until a server is free for another action. */
export async function waitForActions(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  const running = { path: `${serverPath(id)}/actions`, query: { status: 'running' }, signal }
  for (let poll = 0; poll < maxActionPolls; poll += 1) {
    if ((await readOne(api, running, z.object({ actions }))).actions.length === 0) return
    await api.transport.sleep(actionPollMs, signal)
  }
}

const hasStatus = (status: string) => (found: Server) => found.status === status

interface Act {
  readonly isDone: (found: Server) => boolean | Promise<boolean>
  readonly body?: object
  readonly signal: AbortSignal | undefined
}

/** Asks for an action unless it is done. What runs comes first: the vendor allows one at a time, and it may be this one. */
async function act(api: VendorApi, id: string, action: string, { isDone, body, signal }: Act): Promise<void> {
  const find = async () => {
    await waitForActions(api, id, signal)
    const found = await readOne(api, { path: serverPath(id), signal }, z.object({ server }))
    return (await isDone(found.server)) ? true : null
  }
  const create = async () => {
    const path = `${serverPath(id)}/actions/${action}`
    await sendRequest(api, { method: 'POST', path, ...(body && { body: JSON.stringify(body) }), signal })
    return true
  }
  await createOnce(api, { find, create }, signal)
}

/** Nothing of a server shows that it was reset, except that it was asked for since. */
async function reset(api: VendorApi, id: string, signal?: AbortSignal): Promise<void> {
  const before = await lastAction(api, id, signal)
  const isDone = async () => {
    const last = await lastAction(api, id, signal)
    return last?.command === 'reset_server' && last.id !== before?.id
  }
  await act(api, id, 'reset', { isDone, signal })
}

const image = z.object({
  id: z.int(),
  status: text,
  /** In GB of 10^9 bytes. */
  image_size: z.nullable(z.number()),
})

async function snapshot(api: VendorApi, order: SnapshotOrder, signal?: AbortSignal): Promise<Snapshot> {
  const { operation, machine, label } = order
  checkOperation(operation)
  const find = async () => {
    const query = { type: 'snapshot', label_selector: `${operationLabel}==${operation}`, sort: 'id:asc' }
    const found = await readList(api, { path: '/images', query, signal }, 'images', z.array(image))
    const usable = found.find(({ status }) => status !== 'unavailable')
    return usable ? snapshotOf(api, usable) : null
  }
  const create = async () => {
    await waitForActions(api, machine, signal)
    // It may have waited for this very one, whose answer was lost while the list did not show it yet.
    const before = await find()
    if (before) return before
    const body = JSON.stringify({ type: 'snapshot', description: label, labels: { [operationLabel]: operation } })
    const path = `${serverPath(machine)}/actions/create_image`
    const made = await readOne(api, { method: 'POST', path, body, signal }, z.object({ image }))
    return snapshotOf(api, made.image)
  }
  return createOnce(api, { find, create }, signal)
}

async function observeSnapshot(api: VendorApi, id: string, signal?: AbortSignal): Promise<Snapshot | null> {
  if (!/^\d{1,16}$/.test(id)) throw new Error(`Not an id of an image: ${id}`)
  const found = await nullIfMissing(readOne(api, { path: `/images/${id}`, signal }, z.object({ image })))
  return found && snapshotOf(api, found.image)
}

function snapshotOf(api: VendorApi, { id, status, image_size: size }: z.infer<typeof image>): Snapshot {
  if (status !== 'creating' && status !== 'available')
    throw actionFailure(null, api.vendor, `image ${vendorText(status)}`)
  return {
    id: String(id),
    status: status === 'creating' ? 'creating' : 'ready',
    sizeBytes: size === null ? null : Math.round(size * 1e9),
  }
}
