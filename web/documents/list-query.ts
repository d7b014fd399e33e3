import { fieldLabel, type Doctype, type FilterTriple } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { formatNumber } from '#web/lib/format.ts'
import { filterOperators, type ListState } from './list-state.ts'
import { t } from './messages.ts'
import { statusLabel } from './status-tones.ts'

/** Parameters of one list request (contracts/frappe-wire.md section 5). */
export interface ListRequest {
  fields: string[]
  filters: FilterTriple[]
  or_filters: FilterTriple[]
  order_by: string
  limit: number
  start: number
}

/** Description of a doctype by name; null when the registry has none. */
export function findDoctype(name: string): Doctype | null {
  return doctypes.find((type) => type.name === name) ?? null
}

/** Result key under which a list row carries the title of a linked document. */
export function linkTitleKey(field: string): string {
  return `${field}_title`
}

/** Fields that free text searches: the title, then those described as searched. */
export function searchFields(type: Doctype): string[] {
  const names = Object.keys(type.fields).filter((name) => type.fields[name]?.search_index)
  return [...new Set([...(type.title_field && type.title_field in type.fields ? [type.title_field] : []), ...names])]
}

/** Expressions to read the named columns: links also bring their title, so that ids are never shown. */
export function listFields(type: Doctype, columns: readonly string[]): string[] {
  const fields = new Set<string>(['name'])
  if (type.title_field) fields.add(type.title_field)
  for (const column of columns) {
    fields.add(column)
    const field = type.fields[column]
    if (field?.fieldtype !== 'Link' || typeof field.options !== 'string') continue
    const target = findDoctype(field.options)
    if (target?.title_field) fields.add(`${column}.${target.title_field} as ${linkTitleKey(column)}`)
  }
  return [...fields]
}

/** Free text as conditions of which one must hold. */
export function textFilters(type: Doctype, text: string): FilterTriple[] {
  const wanted = text.trim()
  if (wanted === '') return []
  return searchFields(type).map((field) => [field, 'like', `%${wanted}%`] as const)
}

/** A filter as the server takes it: `like` patterns match anywhere unless the person wrote a `%`. */
export function wireFilter([field, operator, value]: FilterTriple): FilterTriple {
  if ((operator === 'like' || operator === 'not like') && typeof value === 'string' && !value.includes('%')) {
    return [field, operator, `%${value}%`]
  }
  return [field, operator, value]
}

/** The request for the page a list's state shows. */
export function listRequest(type: Doctype, columns: readonly string[], state: ListState): ListRequest {
  return {
    fields: listFields(type, columns),
    filters: state.filters.map(wireFilter),
    or_filters: textFilters(type, state.text),
    order_by: `${state.order.field} ${state.order.direction}`,
    limit: state.pageSize,
    start: (state.page - 1) * state.pageSize,
  }
}

/** Words of a filter for its chip. `titles` names linked documents by their id. */
export function filterWords(
  type: Doctype,
  [field, operator, value]: FilterTriple,
  titles: Readonly<Record<string, string>> = {},
): { field: string; operator: string; value: string } {
  const described = type.fields[field]
  const one = (part: unknown): string => {
    const text = String(part)
    // A linked document's id means nothing to people: until its title is there, the place is kept.
    return (
      titles[text] ??
      (described?.fieldtype === 'Link' && described.options !== 'User' ? '…' : valueLabel(type, field, text))
    )
  }
  return {
    field: described ? fieldLabel(field, described) : field === 'owner' ? t('list.created_by') : field,
    operator: filterOperators.find((known) => known.operator === operator)?.short ?? operator,
    value: Array.isArray(value) ? value.map(one).join(', ') : one(value),
  }
}

const optionLabels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Site.site_type': { wp: 'WordPress', php: 'PHP', html: 'HTML' },
  'Server.server_category': { development: 'Development', production: 'Production' },
}

/** What people read for a stored value of a field. */
export function valueLabel(type: Doctype, field: string, value: string): string {
  return optionLabels[`${type.name}.${field}`]?.[value] ?? statusLabel(type.name, field, value)
}

/** "1–20 of 143"; "0 of 0" for none. */
export function rangeWords(state: Pick<ListState, 'page' | 'pageSize'>, rows: number, total: number): string {
  const values = { total: formatNumber(total) }
  if (rows === 0) return t('list.range_none', values)
  const first = (state.page - 1) * state.pageSize + 1
  return t('list.range', { ...values, first: formatNumber(first), last: formatNumber(first + rows - 1) })
}
