import type { Session } from '#server/contracts/session.ts'
import { tenantField, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { loadFor, visibleDoc, writableValues } from '../permissions/access.ts'
import { rejectGuest } from '../permissions/access-errors.ts'
import { checkLinks } from '../permissions/links.ts'
import { isPersonalOnly, personalValues, withPersonalValues, writePersonal } from '../store/personal.ts'
import { readChildren } from '../store/rows.ts'
import { tableFields } from '../store/schema.ts'
import type { OpenTransaction } from '../store/transaction-context.ts'
import { transactionCaller, type DocumentsContext } from './documents-context.ts'

/** Changes the given fields of a document. Returns it as the caller can read it. */
export async function saveDocument(
  context: DocumentsContext,
  session: Session,
  type: Doctype,
  name: string,
  values: Record<string, unknown>,
): Promise<AnyDoc> {
  return context.transactions.run(session, (tx) =>
    isPersonalOnly(type, values)
      ? savePersonalValues(context, tx, type, name, values)
      : saveValues(context, tx, type, name, values),
  )
}

/**
 * Stores the caller's personal values. They aren't visible to others, so read permission is enough. Tokens still need the
 * write scope.
 */
async function savePersonalValues(
  context: DocumentsContext,
  tx: OpenTransaction,
  type: Doctype,
  name: string,
  values: Record<string, unknown>,
): Promise<AnyDoc> {
  const { session, connection } = tx
  rejectGuest(session, type, 'write')
  const { doc, accessContext, personal } = await loadFor(transactionCaller(context, tx), type, name, 'read')
  const own = personalValues(type, values)
  await writePersonal(connection, session, type, name, own)
  return withPersonalValues(type, visibleDoc(doc, accessContext, type), personal, own)
}

/** Changes the document itself, and the caller's personal values with it. */
async function saveValues(
  context: DocumentsContext,
  tx: OpenTransaction,
  type: Doctype,
  name: string,
  values: Record<string, unknown>,
): Promise<AnyDoc> {
  const { session, connection } = tx
  const caller = transactionCaller(context, tx)
  // Rows of tables are read again right before the write, unless they are compared with what was sent.
  const withoutChildren = !tableFields(type).some(([key]) => key in values)
  const loaded = await loadFor(caller, type, name, 'write', { lock: true, withoutChildren })
  const { doc, accessContext, locked, personal } = loaded
  if (locked) tx.keep(type, doc)
  assertUnchangedSince(values, doc)
  const wanted = writableValues(type, accessContext, values, doc)
  await checkLinks(caller, type, tenantField(type) ? accessContext.organization : null, wanted)
  if (withoutChildren && Object.keys(wanted).length === 0)
    await readChildren(connection, type, [doc], caller.typeByName)
  const stored = Object.keys(wanted).length > 0 ? await tx.update(type.name, name, wanted) : doc
  const own = personalValues(type, values)
  await writePersonal(connection, session, type, name, own)
  return withPersonalValues(type, visibleDoc(stored, accessContext, type), personal, own)
}

/** Throws TimestampMismatchError if the document has changed since the client read it. */
function assertUnchangedSince({ modified }: Record<string, unknown>, doc: AnyDoc): void {
  if (modified === undefined || modified === null || modified === '' || modified === doc.modified) return
  throw new AppError('conflict', msg`The document has been changed since you opened it. Reload and try again.`, {
    field: 'modified',
    excType: 'TimestampMismatchError',
  })
}
