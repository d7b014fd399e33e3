import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import type { DocumentEvent, RowEvent } from '#server/contracts/transaction.ts'
import { tenantOf } from './reference.ts'
import type { TransactionContext } from './transaction-context.ts'

/** What an event says about a row. */
type EventRow = Pick<DocumentEvent, 'name' | 'organization' | 'modified'>

/** Records the event of a document that was written or deleted; it is sent after commit. */
export function recordEvent(
  { events, hookContext }: TransactionContext,
  kind: DocumentEvent['kind'],
  type: Doctype,
  doc: AnyDoc,
): void {
  const reader = type.reader && doc[type.reader]
  events.push({
    kind,
    doctype: type.name,
    name: doc.name,
    organization: tenantOf(type, doc),
    user: hookContext.session.user,
    modified: doc.modified,
    ...(typeof reader === 'string' && { reader }),
  })
}

/** Records the events of rows that were changed by a statement outside of the store. */
export function recordRowEvents(
  { events, hookContext }: TransactionContext,
  kind: DocumentEvent['kind'],
  type: Doctype,
  rows: readonly RowEvent[],
): void {
  const { user } = hookContext.session
  for (const { name, organization, modified, list_only = false } of rows)
    events.push({ kind, doctype: type.name, name, organization, user, modified, ...(list_only && { list_only }) })
}

/** Records an event that only one user receives. */
export function recordEventFor(
  { events, hookContext }: TransactionContext,
  recipient: string,
  type: Doctype,
  { name, organization, modified }: EventRow,
): void {
  const { user } = hookContext.session
  events.push({ kind: 'update', doctype: type.name, name, organization, user, modified, only: recipient })
}
