import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { sameValue } from '#shared/same-value.ts'
import type { UndoCall } from '#shared/undo.ts'
import { call, getDoc } from '#web/lib/api/api.ts'
import type { LeftValues, UndoOffer } from './undo-store.ts'

/** The call that undoes an action on a document as it was before; null if none does. */
export function undoCallOf(
  type: Doctype,
  name: string,
  before: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
): UndoCall | null {
  const undo = type.actions?.[name]?.undo
  if (undo === undefined) return null
  return typeof undo === 'string' ? { action: undo } : undo(before, args)
}

/** Reads what a change left. Who wants to undo it learns if it could not be read: then nobody can say that it is still so. */
export function readLeft(offer: UndoOffer): Promise<LeftValues> {
  const left = valuesOf(offer)
  left.catch(() => undefined)
  return left
}

async function valuesOf({ type, name, undo: { fields } }: UndoOffer): Promise<LeftValues> {
  if (fields === undefined) return {}
  if (fields.length === 0) return { job: await newestJob(type.name, name) }
  return pickFields(await getDoc<AnyDoc>(type.name, name), fields)
}

/** Whether nobody has changed since what a change left. */
export async function isAsLeft(offer: UndoOffer, left: Promise<LeftValues>): Promise<boolean> {
  return sameValue(await left, await valuesOf(offer))
}

/** The named fields of a document. */
export function pickFields(doc: Readonly<Record<string, unknown>>, names: readonly string[]): LeftValues {
  return Object.fromEntries(names.map((field) => [field, doc[field] ?? null]))
}

async function newestJob(doctype: string, name: string): Promise<string | null> {
  const rows = await call<{ name: string }[]>('frappe.client.get_list', {
    doctype: 'Job',
    fields: ['name'],
    filters: [
      ['reference_doctype', '=', doctype],
      ['reference_name', '=', name],
    ],
    order_by: 'creation desc',
    limit_page_length: 1,
  })
  return rows[0]?.name ?? null
}
