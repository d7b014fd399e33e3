import type { DocumentEvent } from '#server/contracts/transaction.ts'
import type { EventQueue } from './document-events.ts'
import { announceProgress } from './job-progress.ts'
import { isPersonal, sendToUser } from './personal-events.ts'
import type { SocketContext } from './socket-context.ts'

/** Sends the events of the document store to the connections. Returns a function that stops it. */
export function sendDocumentEvents(context: SocketContext, queue: EventQueue): () => void {
  const { documents, namespaces, changes, failed } = context
  /** Serialized: many at once (a member with a thousand shares leaves) must not overload the database. */
  let personal: Promise<void> = Promise.resolve()

  return documents.onEvent((event: DocumentEvent) => {
    changes.note(event)
    if (!isPersonal(event)) queue.publish(event)
    for (const namespace of namespaces) {
      if (isPersonal(event)) {
        personal = personal.then(() => sendToUser(documents, namespace, event)).catch(failed)
        continue
      }
      announceProgress(documents, namespace, event).catch(failed)
    }
  })
}
