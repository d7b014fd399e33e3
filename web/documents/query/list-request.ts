import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { orderText, sameFilters, type ListState } from './list-state.ts'

/** Alternatives of a list request: a group of filters, or several of which each must be met. */
export type Alternatives = FilterTriple[] | FilterTriple[][]

/** Parameters of one list request (docs/api.md). */
export interface ListRequest {
  fields: readonly string[]
  filters: FilterTriple[]
  /** One of these, or one of each group. */
  or_filters: Alternatives
  order_by: string
  limit: number
  start: number
}

/** Doctype by name; null if it is unknown. */
export function findDoctype(name: string): Doctype | null {
  return doctypes.find((type) => type.name === name) ?? null
}

/** Key under which a list row has the title of a linked document. */
export function linkTitleKey<F extends string>(field: F): `${F}_title` {
  return `${field}_title`
}

/** Fields that free text searches: the title, then those with a search index. */
export function searchFields(type: Doctype): string[] {
  if (type.list?.same_titles) return []
  const names = Object.keys(type.fields).filter((name) => type.fields[name]?.search_index)
  return [...new Set([...(type.title_field && type.title_field in type.fields ? [type.title_field] : []), ...names])]
}

/**
 * Fields to request for the named columns. Links also request their title, because IDs are never shown, unless a column
 * asks for something else under its key.
 */
export function listFields(type: Doctype, columns: readonly string[]): string[] {
  const fields = new Set<string>(['name'])
  const isAsked = (key: string) => columns.some((column) => column.endsWith(` as ${key}`))
  if (type.title_field) fields.add(type.title_field)
  if (type.display_field) fields.add(type.display_field)
  for (const column of columns) {
    fields.add(column)
    const field = type.fields[column]
    if (field?.fieldtype !== 'Link' || typeof field.options !== 'string') continue
    const target = findDoctype(field.options)
    const key = linkTitleKey(column)
    if (target?.title_field && !isAsked(key)) fields.add(`${column}.${target.title_field} as ${key}`)
  }
  return [...fields]
}

/** Free text as alternative filters (any must match). */
export function textFilters(type: Doctype, text: string): FilterTriple[] {
  const wanted = text.trim()
  if (wanted === '') return []
  return searchFields(type).map((field) => [field, 'like', `%${wanted}%`] as const)
}

/** A filter as the API takes it: `like` matches anywhere unless the user typed a `%`. */
export function wireFilter([field, operator, value]: FilterTriple): FilterTriple {
  if ((operator === 'like' || operator === 'not like') && typeof value === 'string' && !value.includes('%')) {
    return [field, operator, `%${value}%`]
  }
  return [field, operator, value]
}

/**
 * Filters of a list's state. Alternatives of the state and those of free text are two groups, unless a field of the rows
 * knows whether they meet the first.
 */
export function listConditions(
  type: Doctype,
  state: Pick<ListState, 'filters' | 'any' | 'text'>,
): Pick<ListRequest, 'filters' | 'or_filters'> {
  const filters = state.filters.map(wireFilter)
  const text = textFilters(type, state.text)
  if (!state.any || state.any.length === 0) return { filters, or_filters: text }
  const { urgent_first: urgency, urgent_when: urgent } = type.list ?? {}
  if (text.length > 0 && urgency !== undefined && sameFilters(state.any, urgent ?? []))
    return { filters: [...filters, [urgency, '!=', 0]], or_filters: text }
  const alternatives = state.any.map(wireFilter)
  return { filters, or_filters: text.length > 0 ? [alternatives, text] : alternatives }
}

/** The request for the current page of a list. */
export function listRequest(type: Doctype, columns: readonly string[], state: ListState): ListRequest {
  const order = orderText(type, state.order)
  return {
    fields: listFields(type, columns),
    ...listConditions(type, state),
    order_by: state.group ? `${state.group} asc, ${order}` : order,
    limit: state.pageSize,
    start: (state.page - 1) * state.pageSize,
  }
}
