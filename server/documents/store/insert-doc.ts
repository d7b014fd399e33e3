import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import { recordInsert } from '../activity/document-activity.ts'
import { writeChildren } from './child-rows.ts'
import { recordEvent } from './recorded-events.ts'
import { tenantOf } from './reference.ts'
import { emptyDoc, insertRow, newName } from './rows.ts'
import { columnFields, tableFields } from './schema.ts'
import { sealSecrets } from './sealed-fields.ts'
import { lockRightsOf, writtenDoc } from './stored-docs.ts'
import type { TransactionContext } from './transaction-context.ts'
import { translateUniqueViolation } from './unique-values.ts'
import { validateDocument } from './values.ts'
import { coerceValues, coerceHookValues, computedValues, rowsOf, withoutChildRows } from './written-values.ts'
import { bytesOfRow } from './written-bytes.ts'

/** Inserts a document with hooks, its child rows, event and activity. Returns the stored document. */
export async function insertDoc(
  context: TransactionContext,
  type: Doctype,
  values: Record<string, unknown>,
  options: { owner?: string; activity?: boolean } = {},
): Promise<AnyDoc> {
  const { connection, environment, hookContext, known, written } = context
  const doc = newDoc(type, values, options.owner ?? hookContext.session.user)
  await lockRightsOf(context, type, doc)
  const hooks = environment.controllers(type.name)
  for (const hook of hooks) await hook.before_insert?.(doc, hookContext)
  for (const hook of hooks) await hook.validate?.(doc, null, hookContext)
  Object.assign(doc, coerceHookValues(type, doc))
  Object.assign(doc, computedValues(type, doc))
  nameDoc(type, doc)
  const children = tableFields(type).map(([field]) => [field, rowsOf(doc, field)] as const)
  const secrets = Object.fromEntries(
    columnFields(type)
      .filter(([, field]) => field.secret)
      .map(([name]) => [name, doc[name]]),
  )
  validateDocument(type, doc)
  const sealed = await sealSecrets(environment, type, doc, secrets)
  for (const hook of hooks) await hook.guard?.(doc, null, hookContext)
  written.add(tenantOf(type, doc), bytesOfRow({ ...withoutChildRows(type, doc), ...sealed }))
  const made = await translateUniqueViolation(type, doc, () => insertRow(connection, type, doc, sealed))
  if (made) {
    known.keep(type, made)
    Object.assign(doc, { creation: made.creation, modified: made.modified })
  }
  for (const [field, rows] of children) if (rows.length > 0) await writeChildren(context, type, doc, field, rows)
  for (const hook of hooks) await hook.after_insert?.(doc, hookContext)
  const stored = await writtenDoc(context, type, doc.name)
  // Values hooks add besides the fields (the started job) are included in the response.
  if (doc.job !== undefined && !Object.hasOwn(type.fields, 'job')) stored.job = doc.job
  recordEvent(context, 'insert', type, stored)
  recordInsert(context, type, stored, options.activity)
  return stored
}

/** A document with defaults and the given values, before hooks. Its times are those of its insertion. */
function newDoc(type: Doctype, values: Record<string, unknown>, owner: string): AnyDoc {
  const doc: AnyDoc = { ...emptyDoc(type), owner, modified_by: owner }
  if (type.is_child)
    Object.assign(doc, {
      parent: values.parent ?? null,
      parentfield: values.parentfield ?? null,
      parenttype: values.parenttype ?? null,
      idx: values.idx ?? 0,
    })
  return Object.assign(doc, coerceValues(type, values))
}

/** Sets the name of a new document: a random one, or the value of the field the doctype names. Throws if that is empty. */
function nameDoc(type: Doctype, doc: AnyDoc): void {
  doc.name = type.naming === 'random' ? newName() : String(doc[type.naming.slice('field:'.length)] ?? '')
  if (doc.name !== '') return
  // The field's own error, if it is required.
  validateDocument(type, doc)
  throw new AppError('invalid', msg`${labelMessage(type.name)} needs a name.`, { excType: 'ValidationError' })
}
