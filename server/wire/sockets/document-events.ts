import type { Documents } from '#server/contracts/documents.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { rooms, type WireNamespace, type WireSocket } from './socket-types.ts'

/** Sends document events to connections, in order per organization; those outside of organizations have an order of their own. */
export interface EventQueue {
  publish(event: DocumentEvent): void
  /** Runs the callback after everything published before. */
  after(callback: () => void): void
}

/** Dependencies of the queue. */
interface EventQueueDeps {
  readonly documents: Pick<Documents, 'readers'>
  readonly namespaces: () => Iterable<WireNamespace>
  /** Called when a queue overflows: connections have missed events of the organization, or of rows outside of organizations. */
  lost(organization: string | null): void
  failed(error: unknown): void
}

/** Number of organizations whose events are sent concurrently; each event queries the database for its readers. */
const maxConcurrent = 4
/** From this queue length on, events about the same document are merged. */
const mergeThreshold = 500
/** Maximum queue length per organization. */
const maxWaiting = 10_000

/** An event to send, or a callback to run after the items before it. */
type Item = { event: DocumentEvent } | { readonly callback: () => void }

/** Queued events of an organization. */
interface Queue {
  readonly organization: string | null
  items: Item[]
  /** The last queued event per document. */
  readonly last: Map<string, { event: DocumentEvent }>
}

/**
 * Sends `doc_update` to subscribers of the document and `list_update` to subscribers of its list, but only to connections
 * whose user can read the document now, or could when it was deleted. Every process receives all events of the store and
 * sends them to its own connections. Organizations take turns, so that a busy one does not delay the others.
 */
export function createEventQueue({ documents, namespaces, lost, failed }: EventQueueDeps): EventQueue {
  const queues = new Map<string | null, Queue>()
  /** Queues waiting for their turn. */
  const ready: Queue[] = []
  let running = 0

  async function send(event: DocumentEvent): Promise<void> {
    for (const namespace of namespaces()) await sendToNamespace(documents, namespace, event)
  }

  async function processNext(queue: Queue): Promise<void> {
    const item = queue.items.shift()
    try {
      if (item && 'event' in item) {
        const key = keyOf(item.event)
        if (queue.last.get(key) === item) queue.last.delete(key)
        await send(item.event)
      } else item?.callback()
    } catch (error) {
      failed(error)
    }
    running -= 1
    if (queue.items.length > 0) ready.push(queue)
    else queues.delete(queue.organization)
    start()
  }

  function start(): void {
    while (running < maxConcurrent) {
      const queue = ready.shift()
      if (queue === undefined) return
      running += 1
      void processNext(queue)
    }
  }

  function openQueue(organization: string | null): Queue {
    const queue: Queue = { organization, items: [], last: new Map() }
    queues.set(organization, queue)
    ready.push(queue)
    return queue
  }

  return {
    publish(event) {
      const { organization } = event
      const queue = queues.get(organization) ?? openQueue(organization)
      const same = queue.items.length >= mergeThreshold ? queue.last.get(keyOf(event)) : undefined
      if (same) {
        same.event = event
        return
      }
      if (queue.items.length >= maxWaiting) {
        queue.items = queue.items.filter((item) => 'callback' in item)
        queue.last.clear()
        lost(organization)
      }
      const item = { event }
      queue.items.push(item)
      queue.last.set(keyOf(event), item)
      start()
    },
    after(callback) {
      const before = [...queues.values()]
      let left = before.length
      const arrived = () => {
        left -= 1
        if (left === 0) callback()
      }
      for (const queue of before) queue.items.push({ callback: arrived })
      if (before.length === 0) callback()
    },
  }
}

/** Identifies the document of an event within its organization. */
function keyOf({ doctype, name }: DocumentEvent): string {
  return `${doctype}\n${name}`
}

async function sendToNamespace(
  documents: Pick<Documents, 'readers'>,
  namespace: WireNamespace,
  event: DocumentEvent,
): Promise<void> {
  const { doctype, name, modified, organization, user, reader } = event
  const ofDocument = rooms.document(doctype, name)
  const ofList = rooms.doctype(organization, doctype)
  const sockets = socketsIn(namespace, [ofDocument, ofList]).filter(
    (socket) => reader === undefined || socket.data.session.user === reader,
  )
  if (sockets.length === 0) return
  // A connection may get another session object meanwhile (`currentSession`).
  const sessions = new Map(sockets.map((socket) => [socket, socket.data.session]))
  const readers = await documents.readers([...sessions.values()], event)
  for (const [socket, session] of sessions) {
    if (!readers.has(session)) continue
    if (socket.rooms.has(ofDocument)) socket.emit('doc_update', { modified, doctype, name })
    if (socket.rooms.has(ofList)) socket.emit('list_update', { doctype, name, user })
  }
}

/** Connections of this process that are in one of the rooms. */
function socketsIn(namespace: WireNamespace, names: readonly string[]): WireSocket[] {
  const ids = new Set(names.flatMap((name) => [...(namespace.adapter.rooms.get(name) ?? [])]))
  return [...ids].flatMap((id) => namespace.sockets.get(id) ?? [])
}
