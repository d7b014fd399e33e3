import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import type { DocumentEvent, RowEvent } from '#server/contracts/transaction.ts'
import { tenantOf } from './reference.ts'
import type { TransactionContext } from './transaction-context.ts'

/** Records the event of a document that was written or deleted; it is sent after commit. */
export function recordEvent(
  { events, hookContext }: TransactionContext,
  kind: DocumentEvent['kind'],
  type: Doctype,
  doc: AnyDoc,
): void {
  const reader = type.reader && doc[type.reader]
  const organization = tenantOf(type, doc)
  const ofUser = kind === 'delete' && organization === null ? userOf(type, doc) : null
  events.push({
    kind,
    doctype: type.name,
    name: doc.name,
    organization,
    user: hookContext.session.user,
    modified: doc.modified,
    ...(typeof reader === 'string' && { reader }),
    ...(typeof ofUser === 'string' && { of_user: ofUser }),
  })
}

/** The user whom a row outside of organizations belongs to, if any. */
function userOf(type: Doctype, doc: AnyDoc): unknown {
  if (type.tenant.kind === 'user') return doc[type.tenant.field]
  return type.tenant.kind === 'attachment' ? doc.owner : null
}

/** Records the events of rows that were changed by a statement outside of the store. */
export function recordRowEvents(
  { events, hookContext }: TransactionContext,
  kind: DocumentEvent['kind'],
  type: Doctype,
  rows: readonly RowEvent[],
): void {
  const { user } = hookContext.session
  for (const { name, organization, modified } of rows)
    events.push({ kind, doctype: type.name, name, organization, user, modified })
}

/** Records an event that only one user receives. */
export function recordEventFor(
  { events, hookContext }: TransactionContext,
  recipient: string,
  type: Doctype,
  { name, organization, modified }: RowEvent,
): void {
  const { user } = hookContext.session
  events.push({ kind: 'update', doctype: type.name, name, organization, user, modified, only: recipient })
}
