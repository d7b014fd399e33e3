import type { AnyDoc, Doctype, FilterTriple } from '#shared/doctype.ts'
import { sameValue } from '#shared/same-value.ts'
import { recordUpdate } from '../activity/document-activity.ts'
import { writeChildren } from './child-rows.ts'
import { filterSql } from './find-docs.ts'
import { recordEvent } from './recorded-events.ts'
import { tenantOf } from './reference.ts'
import { databaseNow, statementTime, updateRow, updateRows } from './rows.ts'
import { columnFields, tableFields } from './schema.ts'
import { sealSecrets } from './sealed-fields.ts'
import { changedElsewhere } from './stored-elsewhere.ts'
import { docBefore, lockedDoc, writtenDoc } from './stored-docs.ts'
import type { TransactionContext } from './transaction-context.ts'
import { translateUniqueViolation } from './unique-values.ts'
import { validateDocument } from './values.ts'
import { columnValues, coerceValues, coerceHookValues, computedValues, rowsOf } from './written-values.ts'
import { bytesOfRow } from './written-bytes.ts'

/**
 * Updates the given fields of a document with hooks, its child rows, event and activity. Nothing is written if no value
 * changes. Returns the stored document.
 */
export async function updateDoc(
  context: TransactionContext,
  type: Doctype,
  name: string,
  values: Record<string, unknown>,
  options: { activity?: boolean; hooks?: boolean; owner?: string } = {},
): Promise<AnyDoc> {
  const { connection, environment, hookContext, known, written } = context
  const before = await lockedDoc(context, type, name)
  const read = docBefore(context, type, before)
  const doc: AnyDoc = { ...before }
  // Copies, so that what a hook changes in them isn't taken for stored.
  for (const [field] of tableFields(type)) doc[field] = rowsOf(before, field).map((row) => ({ ...row }))
  Object.assign(doc, coerceValues(type, values, before))
  if (type.is_child && 'idx' in values) doc.idx = Number(values.idx)
  if (options.owner !== undefined) doc.owner = options.owner
  const hooks = options.hooks === false ? [] : environment.controllers(type.name)
  for (const hook of hooks) await hook.validate?.(doc, before, hookContext)
  Object.assign(doc, coerceHookValues(type, doc, before))
  Object.assign(doc, computedValues(type, doc))
  validateDocument(type, doc, before)
  const changes = changedColumns(type, doc, before)
  const elsewhere = changedElsewhere(type, doc, before)
  if (options.hooks === false && elsewhere.length > 0) throw new Error(`${type.name}.${elsewhere.join()} needs hooks`)
  const secrets = Object.fromEntries(Object.entries(changes).filter(([key]) => type.fields[key]?.secret))
  const childFields = tableFields(type)
    .filter(([key]) => key in values)
    .map(([key]) => key)
  if (Object.keys(changes).length === 0 && childFields.length === 0 && elsewhere.length === 0) return before
  for (const hook of environment.controllers(type.name)) await hook.guard?.(doc, before, hookContext)
  const sealed = await sealSecrets(environment, type, doc, secrets)
  const stamp = { modified: statementTime, modified_by: hookContext.session.user }
  written.add(tenantOf(type, doc), bytesOfRow({ ...changes, ...sealed }))
  const saved = await translateUniqueViolation(type, doc, () =>
    updateRow(connection, type, name, { ...changes, ...stamp }, sealed),
  )
  if (saved) known.keep(type, saved)
  for (const field of childFields) await writeChildren(context, type, doc, field, rowsOf(doc, field))
  if (saved) Object.assign(doc, { modified: saved.modified, modified_by: saved.modified_by })
  for (const hook of hooks) await hook.on_update?.(doc, before, hookContext)
  const stored = await writtenDoc(context, type, name, read)
  recordEvent(context, 'update', type, stored)
  const changed = [...Object.keys(changes), ...elsewhere]
  recordUpdate(context, type, { before, after: stored, changed }, options.activity)
  return stored
}

/** Columns whose values differ from the stored ones. */
function changedColumns(type: Doctype, doc: AnyDoc, before: AnyDoc): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const [key] of columnFields(type)) if (!sameValue(doc[key], before[key])) changes[key] = doc[key]
  if (doc.idx !== before.idx) changes.idx = doc.idx
  if (doc.owner !== before.owner) changes.owner = doc.owner
  return changes
}

/**
 * Writes columns of a document without hooks, activity, event or a new `modified`. They must not be any that a computed field
 * is derived from.
 */
export async function updateColumns(
  { connection, known }: TransactionContext,
  type: Doctype,
  name: string,
  values: Record<string, unknown>,
): Promise<void> {
  const saved = await updateRow(connection, type, name, columnValues(type, values))
  if (saved) known.keep(type, saved)
}

/** Writes the same columns of all documents that match all triples, with a new `modified` and an event per document. */
export async function updateWhere(
  context: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
  values: Record<string, unknown>,
): Promise<void> {
  const { connection, hookContext } = context
  const stamp = { modified: await databaseNow(connection), modified_by: hookContext.session.user }
  const where = filterSql(context, type, filters)
  const saved = await updateRows(connection, type, where, { ...columnValues(type, values), ...stamp })
  context.known.clear()
  for (const doc of saved) recordEvent(context, 'update', type, doc)
}
