import type { Documents } from '#server/contracts/documents.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { rooms, type WireNamespace } from './socket-types.ts'

/** A change for one user only. */
export type PersonalEvent = DocumentEvent & { only: string }

/** Whether an event is for one user only. */
export function isPersonal(event: DocumentEvent): event is PersonalEvent {
  return event.only !== undefined
}

/**
 * Tells a user's connections that a document changed for that user, whether they subscribed to it or not: a document
 * that just became visible could not be subscribed to. Only connections in the document's organization whose session can
 * read documents of the doctype at all. Every process sends to its own connections.
 */
export async function sendToPerson(
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
