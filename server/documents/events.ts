import type { Database } from '#server/platform/database/database.ts'
import { createEvents } from '#server/platform/events.ts'
import type { Log } from '#server/platform/log/log.ts'
import { parseOwnJson } from '#shared/parse-json.ts'
import { randomUUID } from 'node:crypto'
import type { DocumentEvent, Trx } from '#server/contracts/transaction.ts'

const channel = 'easydash_document'
/**
 * Events per notification: keeps the payload below PostgreSQL's limit of 8000 bytes. An event has at most about 700 bytes
 * (email addresses have up to 254).
 */
const perNotification = 10

/** After-commit events of this process and, through the database, of all others. */
export interface DocumentEvents {
  /** Adds the events to the transaction: other processes receive them when it commits. */
  publish(trx: Trx, events: readonly DocumentEvent[]): Promise<void>
  /** Notifies this process, after its own commit. */
  emit(events: readonly DocumentEvent[]): void
  on(listener: (event: DocumentEvent) => void): () => void
  close(): Promise<void>
}

/** Opens the event stream; it is listening once the promise resolves. */
export async function openDocumentEvents(database: Database, log: Log): Promise<DocumentEvents> {
  const own = randomUUID()
  const bus = createEvents<{ event: DocumentEvent }>(log)
  const stop = await database.listen(channel, (payload) => {
    const { from, events } = parseOwnJson<{ from: string; events: DocumentEvent[] }>(payload)
    if (from !== own) for (const event of events) bus.emit('event', event)
  })
  return {
    async publish(trx, events) {
      for (let at = 0; at < events.length; at += perNotification) {
        await database.notify(
          trx,
          channel,
          JSON.stringify({ from: own, events: events.slice(at, at + perNotification) }),
        )
      }
    },
    emit(events) {
      for (const event of events) bus.emit('event', event)
    },
    on: (listener) => bus.on('event', listener),
    async close() {
      stop()
    },
  }
}
