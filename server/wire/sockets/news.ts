import type { DocumentEvent, Documents } from '#server/documents/types.ts'
import { rooms, type WireNamespace, type WireSocket } from './socket-types.ts'

/** Tells connections of changes, one change after the other. */
export interface News {
  announce(event: DocumentEvent): void
  /** Does something after everything that was announced before. */
  after(act: () => void): void
}

/** What news need. */
interface NewsSetting {
  readonly documents: Pick<Documents, 'readers'>
  readonly namespaces: () => Iterable<WireNamespace>
  failed(error: unknown): void
}

/** Events that wait before the ones about the same document become one. */
const mostWaiting = 500

/**
 * `doc_update` for who has subscribed to the document and `list_update` for who has subscribed to its list, each only
 * to connections whose person may read the document now, or could at its end. Every process hears every event of the
 * store, so each tells its own connections.
 */
export function createNews({ documents, namespaces, failed }: NewsSetting): News {
  const waiting: DocumentEvent[] = []
  let last: Promise<void> = Promise.resolve()

  async function tell(event: DocumentEvent): Promise<void> {
    for (const namespace of namespaces()) await tellIn(documents, namespace, event)
  }

  return {
    announce(event) {
      if (waiting.length >= mostWaiting) {
        const isSame = (one: DocumentEvent) => one.doctype === event.doctype && one.name === event.name
        const at = waiting.findIndex(isSame)
        if (at !== -1) {
          waiting[at] = event
          return
        }
      }
      waiting.push(event)
      last = last.then(async () => {
        const next = waiting.shift()
        if (next) await tell(next).catch(failed)
      })
    },
    after(act) {
      last = last.then(act).catch(failed)
    },
  }
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
