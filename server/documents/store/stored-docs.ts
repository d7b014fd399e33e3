import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { notFoundError } from '../permissions/access-errors.ts'
import { lockRights } from './locks.ts'
import { tenantOf } from './reference.ts'
import { readChildren, readRow } from './rows.ts'
import { tableFields } from './schema.ts'
import { openSecret } from './sealed-fields.ts'
import type { TransactionContext } from './transaction-context.ts'

/** A stored document; null if there is none. Its row is read unless this transaction has it already. */
export async function storedDoc(
  { connection, environment, known }: TransactionContext,
  type: Doctype,
  name: string,
  options: { lock?: boolean } = {},
): Promise<AnyDoc | null> {
  const doc = known.get(type, name) ?? (await readRow(connection, type, name, options))
  if (!doc) return null
  if (options.lock) known.keep(type, doc)
  await readChildren(connection, type, [doc], environment.typeByName)
  return doc
}

/** A document read before a write, with the state of the doctypes of its tables at that time (`known-rows.ts`). */
export interface DocBefore {
  readonly doc: AnyDoc
  readonly states: readonly (string | null)[]
}

/** The document with the present state of the doctypes of its tables. */
export function docBefore(context: TransactionContext, type: Doctype, doc: AnyDoc): DocBefore {
  return { doc, states: childStates(context, type) }
}

function childStates({ known, environment }: TransactionContext, type: Doctype): (string | null)[] {
  return tableFields(type).map(([, { options }]) => known.stateOf(environment.type(options)))
}

/**
 * A document as stored by the write that just ended. The rows of its tables are those read before if the transaction has
 * written none of their doctypes since.
 */
export async function writtenDoc(
  context: TransactionContext,
  type: Doctype,
  name: string,
  before?: DocBefore,
): Promise<AnyDoc> {
  const row = before ? context.known.get(type, name) : null
  const states = childStates(context, type)
  if (row && before && states.every((state, at) => state !== null && state === before.states[at])) {
    for (const [field] of tableFields(type)) row[field] = before.doc[field]
    return row
  }
  const doc = await storedDoc(context, type, name)
  if (!doc) throw notFoundError(type, name)
  return doc
}

/**
 * The stored document, locked for this transaction, after locking the user to whom it grants rights. Throws `not_found` if
 * there is none.
 */
export async function lockedDoc(
  context: TransactionContext,
  type: Doctype,
  name: string,
  withRights = true,
): Promise<AnyDoc> {
  const found = withRights && type.rights_of ? await storedDoc(context, type, name) : null
  if (found) await lockRightsOf(context, type, found)
  const doc = await storedDoc(context, type, name, { lock: true })
  if (!doc) throw notFoundError(type, name)
  return doc
}

/** Waits for running operations that use the rights the document grants, unless the caller has already done so. */
export async function lockRightsOf({ connection }: TransactionContext, type: Doctype, doc: AnyDoc): Promise<void> {
  const user = type.rights_of ? doc[type.rights_of] : null
  if (typeof user === 'string') await lockRights(connection, tenantOf(type, doc), new Map([[user, 'change']]))
}

/** Decrypted value of a secret field; null if it is unset or there is no such document. Never log it. */
export async function storedSecret(
  context: TransactionContext,
  type: Doctype,
  name: string,
  field: string,
): Promise<string | null> {
  const doc = await storedDoc(context, type, name)
  return doc ? openSecret(context.environment, context.connection, type, doc, field) : null
}
