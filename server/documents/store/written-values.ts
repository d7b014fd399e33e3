import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { isObject } from '#shared/parse-json.ts'
import { sameValue } from '#shared/same-value.ts'
import { columnFields, tableFields } from './schema.ts'
import { documentValue, assertValidValues } from './values.ts'

/** The values of a document's own row; child rows are counted when they are written. */
export function withoutChildRows(type: Doctype, doc: AnyDoc): Record<string, unknown> {
  const rows = new Set(tableFields(type).map(([name]) => name))
  return Object.fromEntries(Object.entries(doc).filter(([name]) => !rows.has(name)))
}

/**
 * Converts written values to their fields' types. Throws for invalid values, except unchanged ones: a limit added later must
 * not block writes of other fields.
 */
export function coerceValues(
  type: Doctype,
  values: Record<string, unknown>,
  before: AnyDoc | null = null,
): Record<string, unknown> {
  const given = Object.entries(type.fields).filter(([name]) => Object.hasOwn(values, name))
  const typed = given.map(([name, field]): [string, unknown] => [name, documentValue(name, field, values[name])])
  const changed = typed.filter(([name, value]) => before === null || !sameValue(value, before[name]))
  assertValidValues(type, Object.fromEntries(changed))
  return Object.fromEntries(typed)
}

/** Like `coerceValues`, for values written without the rest of the document. Throws for fields without a plain column. */
export function columnValues(type: Doctype, values: Record<string, unknown>): Record<string, unknown> {
  const columns = new Map(columnFields(type))
  for (const name of Object.keys(values)) {
    const field = columns.get(name)
    if (!field || field.secret) throw new Error(`${type.name}.${name} is not a column of plain values`)
  }
  return coerceValues(type, values)
}

/** Converts values set by hooks in the same way: invariants enforced on every write path. */
export function coerceHookValues(type: Doctype, doc: AnyDoc, before: AnyDoc | null = null): Record<string, unknown> {
  const changed = columnFields(type).filter(([name]) => before === null || !sameValue(doc[name], before[name]))
  return Object.fromEntries(changed.map(([name, field]) => [name, documentValue(name, field, doc[name])]))
}

/** The rows of a Table field; none unless it holds a list of objects. */
export function rowsOf(doc: AnyDoc, field: string): Record<string, unknown>[] {
  const rows = doc[field]
  return Array.isArray(rows) ? rows.filter(isObject) : []
}

/** Values of the fields that are derived from others. */
export function computedValues(type: Doctype, doc: AnyDoc): Record<string, number> {
  return Object.fromEntries(
    Object.entries(type.fields).flatMap(([name, { computed }]) => (computed ? [[name, computed(doc)]] : [])),
  )
}
