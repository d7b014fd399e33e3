import type { AnyDoc } from '#shared/doctype.ts'
import type { CountQuery, ListQuery } from '#server/contracts/documents.ts'
import { booleanParameter, isObject, parseStructured } from '../request/parameter-values.ts'
import type { Params } from '../request/parameters.ts'

/** Converts call parameters to a list request. `limit_page_length` takes precedence over `limit`. */
export function listQuery(params: Params): ListQuery {
  return withoutUndefined({
    fields: parseStructured(params, 'fields'),
    filters: parseStructured(params, 'filters'),
    or_filters: parseStructured(params, 'or_filters'),
    order_by: parameterOrNull(params['order_by']),
    group_by: parameterOrNull(params['group_by']),
    limit: parameterOrNull(params['limit_page_length']) ?? parameterOrNull(params['limit']),
    limit_start: parameterOrNull(params['limit_start']),
  })
}

/** The query of a count from a call's parameters. */
export function countQuery(params: Params): CountQuery {
  const { filters, or_filters } = listQuery(params)
  return withoutUndefined({ filters, or_filters, limit: parameterOrNull(params['limit']) })
}

/** Rows as objects, or as arrays in field order if `as_dict` is off. */
export function shapeRows(rows: readonly Record<string, unknown>[], params: Params): unknown[] {
  return booleanParameter(params, 'as_dict', true) ? [...rows] : rows.map((row) => Object.values(row))
}

/** A document without its empty fields, as returned by `/api/resource`; also in child rows and expanded links. */
export function withoutEmptyFields(doc: AnyDoc): Record<string, unknown> {
  const set: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(doc))
    if (value !== null && value !== undefined) set[name] = isDocument(value) ? withoutEmptyFields(value) : inRows(value)
  return set
}

/** Removes empty fields from child rows; JSON values stay as they are. */
function inRows(value: unknown): unknown {
  return Array.isArray(value) ? value.map((row: unknown) => (isDocument(row) ? withoutEmptyFields(row) : row)) : value
}

function isDocument(value: unknown): value is AnyDoc {
  return isObject(value) && typeof value['doctype'] === 'string' && 'modified_by' in value
}

function parameterOrNull(value: unknown): unknown {
  return value === null || value === '' ? undefined : value
}

function withoutUndefined<T extends Record<string, unknown>>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}
