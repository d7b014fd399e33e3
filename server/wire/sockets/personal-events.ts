import type { Documents } from '#server/contracts/documents.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { rooms, type WireNamespace } from './socket-types.ts'

/** A change that is relevant to one user only. */
export type PersonalEvent = DocumentEvent & { only: string }

/** Whether an event is for one user only. */
export function isPersonal(event: DocumentEvent): event is PersonalEvent {
  return event.only !== undefined
}

/**
 * Notifies a user's connections that a document changed for them, subscribed or not: they could not have subscribed to a
 * document that only now became visible. Limited to connections in the document's organization whose session can read the
 * doctype. Every process notifies its own connections.
 */
export async function sendToUser(
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
