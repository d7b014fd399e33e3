import type { Documents } from '#server/contracts/documents.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { rooms, type WireNamespace } from './socket-types.ts'

/** A change that is one person's alone. */
export type PersonalEvent = DocumentEvent & { only: string }

/** Whether an event is one person's alone. */
export function isPersonal(event: DocumentEvent): event is PersonalEvent {
  return event.only !== undefined
}

/**
 * Tells a person's connections that a document is another for that person, subscribed to it or not: what became visible
 * just now could not be subscribed to. Only those that work in the document's organization, with a session that reads
 * documents of the kind at all. Every process tells its own connections.
 */
export async function tellPerson(
  documents: Pick<Documents, 'canRead'>,
  namespace: WireNamespace,
  event: PersonalEvent,
): Promise<void> {
  const { only, doctype, name, modified, organization, user } = event
  for (const id of [...(namespace.adapter.rooms.get(rooms.user(only)) ?? [])]) {
    const socket = namespace.sockets.get(id)
    if (socket?.data.session.organization !== organization) continue
    if (!(await documents.canRead(socket.data.session, doctype, null))) continue
    socket.emit('doc_update', { modified, doctype, name })
    socket.emit('list_update', { doctype, name, user })
  }
}
