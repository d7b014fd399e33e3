import type { Documents } from '#server/contracts/documents.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { rooms, type WireNamespace, type WireSocket } from './socket-types.ts'

/** Tells connections of changes, those of an organization one after the other. */
export interface News {
  announce(event: DocumentEvent): void
  /** Does something after everything that was announced before. */
  after(act: () => void): void
}

/** What news need. */
interface NewsSetting {
  readonly documents: Pick<Documents, 'readers'>
  readonly namespaces: () => Iterable<WireNamespace>
  /** More happened in an organization than is told: its connections have missed something. */
  lost(organization: string): void
  failed(error: unknown): void
}

/** Organizations whose news are told at the same moment; each event asks the database who may hear of it. */
const atOnce = 4
/** Events of an organization that wait before the ones about the same document become one. */
const mostSingly = 500
/** Events of an organization that wait at all. */
const mostWaiting = 10_000

/** An event to tell in its turn, or an act after those before it. */
type Item = { event: DocumentEvent } | { readonly act: () => void }

/** What is to be told in an organization. */
interface Queue {
  readonly organization: string
  items: Item[]
  /** By document: the last event that waits. */
  readonly last: Map<string, { event: DocumentEvent }>
}

/**
 * `doc_update` for who has subscribed to the document and `list_update` for who has subscribed to its list, each only
 * to connections whose person may read the document now, or could at its end. Every process hears every event of the
 * store, so each tells its own connections. Organizations take turns: where much happens holds up nobody else.
 */
export function createNews({ documents, namespaces, lost, failed }: NewsSetting): News {
  const queues = new Map<string, Queue>()
  /** Those that wait for their turn. */
  const ready: Queue[] = []
  let running = 0

  async function tell(event: DocumentEvent): Promise<void> {
    for (const namespace of namespaces()) await tellIn(documents, namespace, event)
  }

  async function takeTurn(queue: Queue): Promise<void> {
    const item = queue.items.shift()
    try {
      if (item && 'event' in item) {
        const key = keyOf(item.event)
        if (queue.last.get(key) === item) queue.last.delete(key)
        await tell(item.event)
      } else item?.act()
    } catch (error) {
      failed(error)
    }
    running -= 1
    if (queue.items.length > 0) ready.push(queue)
    else queues.delete(queue.organization)
    start()
  }

  function start(): void {
    while (running < atOnce) {
      const queue = ready.shift()
      if (queue === undefined) return
      running += 1
      void takeTurn(queue)
    }
  }

  function openQueue(organization: string): Queue {
    const queue: Queue = { organization, items: [], last: new Map() }
    queues.set(organization, queue)
    ready.push(queue)
    return queue
  }

  return {
    announce(event) {
      const { organization } = event
      if (organization === null) {
        // Who reads it does not change with it: nothing is asked.
        tell(event).catch(failed)
        return
      }
      const queue = queues.get(organization) ?? openQueue(organization)
      const same = queue.items.length >= mostSingly ? queue.last.get(keyOf(event)) : undefined
      if (same) {
        same.event = event
        return
      }
      if (queue.items.length >= mostWaiting) {
        queue.items = queue.items.filter((item) => 'act' in item)
        queue.last.clear()
        lost(organization)
      }
      const item = { event }
      queue.items.push(item)
      queue.last.set(keyOf(event), item)
      start()
    },
    after(act) {
      const before = [...queues.values()]
      let left = before.length
      const arrived = () => {
        left -= 1
        if (left === 0) act()
      }
      for (const queue of before) queue.items.push({ act: arrived })
      if (before.length === 0) act()
    },
  }
}

/** Which document of its organization an event is about. */
function keyOf({ doctype, name }: DocumentEvent): string {
  return `${doctype}\n${name}`
}

async function tellIn(
  documents: Pick<Documents, 'readers'>,
  namespace: WireNamespace,
  event: DocumentEvent,
): Promise<void> {
  const { doctype, name, modified, organization, user } = event
  const ofDocument = rooms.document(doctype, name)
  const ofList = organization === null ? null : rooms.doctype(organization, doctype)
  const sockets = socketsIn(namespace, ofList === null ? [ofDocument] : [ofDocument, ofList])
  if (sockets.length === 0) return
  // What belongs to no organization has no list, and who reads it does not change with it.
  const readers =
    organization === null
      ? null
      : await documents.readers(
          sockets.map((socket) => socket.data.session),
          event,
        )
  for (const socket of sockets) {
    if (readers !== null && !readers.has(socket.data.session)) continue
    if (socket.rooms.has(ofDocument)) socket.emit('doc_update', { modified, doctype, name })
    if (ofList !== null && socket.rooms.has(ofList)) socket.emit('list_update', { doctype, name, user })
  }
}

/** Connections of this process that are in one of the rooms. */
function socketsIn(namespace: WireNamespace, names: readonly string[]): WireSocket[] {
  const ids = new Set(names.flatMap((name) => [...(namespace.adapter.rooms.get(name) ?? [])]))
  return [...ids].flatMap((id) => namespace.sockets.get(id) ?? [])
}
