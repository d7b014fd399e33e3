import { childFields, standardFields, type Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { perDoctype } from '../store/per-doctype.ts'

/** Standard fields described as fields, so that the same rules apply to both. */
const standardAsFields: Record<(typeof standardFields | typeof childFields)[number], Field> = {
  name: { fieldtype: 'Data', length: 300 },
  owner: { fieldtype: 'Data', label: 'Created by' },
  creation: { fieldtype: 'Datetime', label: 'Created' },
  modified: { fieldtype: 'Datetime', label: 'Last changed' },
  modified_by: { fieldtype: 'Data', label: 'Last changed by' },
  docstatus: { fieldtype: 'Int' },
  idx: { fieldtype: 'Int' },
  parent: { fieldtype: 'Data' },
  parentfield: { fieldtype: 'Data' },
  parenttype: { fieldtype: 'Data' },
}

/** A column a query can use: of the queried doctype, or of a directly linked one. */
export interface Column {
  readonly name: string
  readonly field: Field
  /** Link field that leads to the linked document's column. */
  readonly link?: { readonly name: string; readonly type: Doctype }
}

/** Returns whether the caller can read a field of a doctype; created by the gate. */
export type Readable = (type: Doctype, field: string) => boolean

/** A request value as text for an error message; never throws. */
export function displayValue(value: unknown): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : typeof value
}

/** Error for unknown and for unreadable fields alike, so that filters don't reveal which fields exist. */
export function fieldNotPermitted(name: string): AppError {
  return new AppError('invalid', msg`Field not permitted in query: ${name.slice(0, 140)}`, { excType: 'DataError' })
}

/** A derived field as queries see it. */
const derivedField: Field = { fieldtype: 'Check' }

/** Whether a field is derived from other rows (`derived-fields.ts`). */
export function isDerived(type: Doctype, name: string): boolean {
  return type.derived !== undefined && Object.hasOwn(type.derived, name)
}

/** Fields of a doctype by name, including standard and derived ones. */
const fieldsOf = perDoctype((type): ReadonlyMap<string, Field> => {
  const standard = [...standardFields, ...(type.is_child ? childFields : [])]
  return new Map([
    ...Object.entries(type.fields),
    ...Object.keys(type.derived ?? {}).map((name) => [name, derivedField] as const),
    ...standard.map((name) => [name, standardAsFields[name]] as const),
  ])
})

/** Field of a doctype by name, including standard and derived fields; null if there is none. */
export const fieldOf = (type: Doctype, name: string): Field | null => fieldsOf(type).get(name) ?? null

/** Whether queries can use a field: hidden, secret and table fields can't be queried. */
export function isQueryable(field: Field): boolean {
  return !field.hidden && !field.secret && field.fieldtype !== 'Table'
}

const identifier = '[A-Za-z_][A-Za-z0-9_]{0,62}'
const columnPattern = new RegExp(
  `^(?:(?:\`tab([A-Za-z][A-Za-z0-9 _]{0,60})\`|tab([A-Za-z][A-Za-z0-9_]{0,60})|(${identifier}))\\.)?(?:\`(${identifier})\`|(${identifier}))$`,
)

/**
 * Resolves `field`, `` `tabServer`.`field` `` or `link.field`. Throws fieldNotPermitted for fields that don't exist, that
 * the caller can't read (if `readable` is given), or that can't be queried.
 */
export function resolveColumn(
  text: string,
  type: Doctype,
  typeByName: (name: string) => Doctype | null,
  readable: Readable | null,
): Column {
  const column = findColumn(text, type, typeByName)
  // Our own code (no `readable`) can also query hidden fields.
  const field = column && readable === null ? { ...column.field, hidden: false } : column?.field
  if (!column || !field || !isQueryable(field)) throw fieldNotPermitted(text)
  if (readable && (field.is_detail || !isReadable(column, type, readable))) throw fieldNotPermitted(text)
  return column
}

/** Like `resolveColumn`, but returns null if the column doesn't exist and doesn't check permissions. */
export function findColumn(text: string, type: Doctype, typeByName: (name: string) => Doctype | null): Column | null {
  const match = columnPattern.exec(text.trim())
  if (!match) return null
  const qualifier = match[1] ?? match[2]
  const link = match[3]
  const name = match[4] ?? match[5] ?? ''
  if (qualifier !== undefined && qualifier !== type.name) return null
  if (link === undefined) {
    const field = fieldOf(type, name)
    return field ? { name, field } : null
  }
  const linkField = fieldOf(type, link)
  if (!linkField || linkField.fieldtype !== 'Link') return null
  const target = typeByName(linkField.options)
  const field = target ? fieldOf(target, name) : null
  return target && field ? { name, field, link: { name: link, type: target } } : null
}

/** Whether the caller can read the column (and the link it goes through). */
export function isReadable(column: Column, type: Doctype, readable: Readable): boolean {
  if (!column.link) return readable(type, column.name)
  return readable(type, column.link.name) && readable(column.link.type, column.name)
}
