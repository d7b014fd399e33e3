import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { recordDelete } from '../activity/document-activity.ts'
import { filterSql } from './find-docs.ts'
import { recordEvent } from './recorded-events.ts'
import { deleteRow, deleteRows } from './rows.ts'
import { lockedDoc } from './stored-docs.ts'
import { recordTombstone } from './tombstones.ts'
import type { TransactionContext } from './transaction-context.ts'

/** Deletes a document with hooks, its child rows, event and activity; leaves a tombstone. */
export async function deleteDoc(
  context: TransactionContext,
  type: Doctype,
  name: string,
  options: { activity?: boolean; rights?: 'void' } = {},
): Promise<void> {
  const { connection, environment, hookContext, known } = context
  const doc = await lockedDoc(context, type, name, options.rights !== 'void')
  const hooks = environment.controllers(type.name)
  for (const hook of hooks) await hook.before_delete?.(doc, hookContext)
  await recordTombstone(connection, type, doc)
  await deleteRow(connection, type, name, environment.typeByName)
  known.clear()
  for (const hook of hooks) await hook.after_delete?.(doc, hookContext)
  recordEvent(context, 'delete', type, doc)
  recordDelete(context, type, doc, options.activity)
}

/** Deletes the rows of all documents that match all triples, without hooks, activity, event or child rows. */
export async function deleteWhere(
  context: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
): Promise<void> {
  await deleteRows(context.connection, type, filterSql(context, type, filters))
  context.known.clear()
}
