import { defaultPageSize } from '#web/lib/api/wire-address.ts'
import type { Doctype, FilterOperator, FilterTriple } from '#shared/doctype.ts'

/** Selectable page sizes (docs/contracts/screens.md, section 9). */
export const pageSizes = [20, 50, 100, 200] as const

/** Operators of the filter popover with their labels (docs/contracts/screens.md, section 9). */
export const filterOperators: readonly { operator: FilterOperator; label: string; short: string }[] = [
  { operator: '=', label: 'Equals', short: 'equals' },
  { operator: '!=', label: 'Not Equals', short: 'not equals' },
  { operator: 'in', label: 'In', short: 'in' },
  { operator: 'not in', label: 'Not In', short: 'not in' },
  { operator: 'like', label: 'Like', short: 'like' },
  { operator: 'not like', label: 'Not Like', short: 'not like' },
  { operator: 'timespan', label: 'Age', short: 'is' },
  { operator: 'is', label: 'Is', short: 'is' },
]

/** Values of the operators that times have; the server knows more spans. */
export const timeChoices = {
  timespan: ['older than 1 day', 'older than 7 days', 'older than 30 days'],
  is: ['not set', 'set'],
} as const satisfies Partial<Record<FilterOperator, readonly string[]>>

/** Sort order of a list. */
export interface ListOrder {
  readonly field: string
  readonly direction: 'asc' | 'desc'
}

/** State of a list, stored in the URL. */
export interface ListState {
  readonly filters: readonly FilterTriple[]
  /** Alternatives, one of which must match; empty means no such condition. */
  readonly any?: readonly FilterTriple[]
  /** Free text, matched against title and searched fields. */
  readonly text: string
  readonly order: ListOrder
  /** Field by whose values the rows are grouped; null or absent: they are not. */
  readonly group?: string | null
  /** Starts at 1. */
  readonly page: number
  readonly pageSize: number
}

/** State of a list without URL parameters. */
export interface ListDefaults {
  /** The user's initial filters: the description's, with the user's kept ones. */
  readonly filters: readonly FilterTriple[]
  /** The description's own filters. Only these are omitted from URLs, because they are the same for everyone. */
  readonly common: readonly FilterTriple[]
  readonly order: ListOrder
  readonly pageSize: number
}

const ownParams = ['q', 'order_by', 'group', 'page', 'page_size', 'filter', 'any'] as const

/** Filterable fields, in the order of the description's list; `readable` excludes fields the user can't read. */
export function filterFields(type: Doctype, readable: (field: string) => boolean = () => true): string[] {
  const names = new Set([...(type.list?.filter_fields ?? []), ...Object.keys(type.fields)])
  return [...names].filter((name) => {
    const field = type.fields[name]
    return (field?.in_standard_filter || field?.personal) && !field.hidden && readable(name)
  })
}

/** Fields that a URL can filter by: the offered ones and every column of the list. */
function urlFilterFields(type: Doctype): string[] {
  return Object.keys(type.fields).filter((name) => {
    const field = type.fields[name]
    if (field === undefined || field.hidden) return false
    return field.in_standard_filter === true || field.in_list_view === true || field.personal === true
  })
}

/** Parses `field asc|desc`; null unless it is one known field. */
export function parseOrder(text: string | null | undefined, type: Doctype): ListOrder | null {
  const [field, direction = 'asc', ...rest] = (text ?? '').trim().split(/\s+/)
  if (!field || rest.length > 0 || (direction !== 'asc' && direction !== 'desc')) return null
  if (!(field in type.fields) && !['creation', 'modified', 'name', 'owner'].includes(field)) return null
  return { field, direction }
}

/** An order as the API takes it: documents of the same urgency in the usual order. */
export function orderText(type: Doctype, { field, direction }: ListOrder): string {
  const order = `${field} ${direction}`
  return field === type.list?.urgent_first && type.list.order_by ? `${order}, ${type.list.order_by}` : order
}

/** Defaults from a doctype's description; `kept` replaces the filters of its fields (null: no filter). */
export function listDefaults(
  type: Doctype,
  kept: Readonly<Record<string, readonly [FilterOperator, unknown] | null>> = {},
): ListDefaults {
  const common = type.list?.filters ?? []
  const own = Object.entries(kept).flatMap(([field, pair]): FilterTriple[] => (pair ? [[field, ...pair]] : []))
  return {
    filters: [...common.filter(([field]) => !Object.hasOwn(kept, field)), ...own],
    common,
    order: type.list?.urgent_first
      ? { field: type.list.urgent_first, direction: 'desc' }
      : (parseOrder(type.list?.order_by, type) ?? { field: 'creation', direction: 'desc' }),
    pageSize: defaultPageSize,
  }
}

function fromJson(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    // Edited by hand: skip the invalid part, so that the list still shows.
    return null
  }
}

/** Parses a filter from `[operator, value]`, or from a bare value to equal; null if invalid. */
export function toFilter(field: string, given: unknown): FilterTriple | null {
  const pair: unknown = isScalar(given) ? ['=', given] : given
  if (!Array.isArray(pair) || pair.length !== 2) return null
  const operator = filterOperators.find((known) => known.operator === pair[0])?.operator
  if (!operator) return null
  const value: unknown = pair[1]
  const many = operator === 'in' || operator === 'not in'
  if (many ? !(Array.isArray(value) && value.every(isScalar)) : !isScalar(value)) return null
  return [field, operator, value]
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Parses a stored or shared list of filters; skips malformed ones and unknown fields. */
export function toFilters(given: unknown, type: Doctype): FilterTriple[] {
  const allowed = allowedFields(type)
  if (!Array.isArray(given)) return []
  return given.flatMap((one: unknown) => {
    if (!Array.isArray(one) || one.length !== 3 || !allowed.has(String(one[0]))) return []
    const filter = toFilter(String(one[0]), one.slice(1))
    return filter ? [filter] : []
  })
}

function allowedFields(type: Doctype): Set<string> {
  return new Set([...urlFilterFields(type), ...(type.list?.filters ?? []).map(([field]) => field), 'owner'])
}

/**
 * Parses a list's state from the URL. A filter is a parameter with the field's name and `[operator, value]` as JSON. Without
 * any, the defaults apply; `filter=none` means that the user removed them all.
 */
export function readListState(params: URLSearchParams, type: Doctype, defaults: ListDefaults): ListState {
  const filters: FilterTriple[] = []
  const allowed = allowedFields(type)
  for (const [key, raw] of params) {
    if (!allowed.has(key)) continue
    const filter = toFilter(key, fromJson(raw))
    if (filter) filters.push(filter)
  }
  const any = toFilters(fromJson(params.get('any') ?? 'null'), type)
  const group = type.list?.group_fields?.find((field) => field === params.get('group'))
  const size = Number(params.get('page_size'))
  const page = Math.floor(Number(params.get('page')))
  return {
    filters: filters.length > 0 || params.get('filter') === 'none' || any.length > 0 ? filters : defaults.filters,
    ...(any.length > 0 && { any }),
    text: params.get('q') ?? '',
    order: parseOrder(params.get('order_by'), type) ?? defaults.order,
    ...(group !== undefined && { group }),
    page: Number.isFinite(page) && page >= 1 ? page : 1,
    pageSize: pageSizes.find((known) => known === size) ?? defaults.pageSize,
  }
}

/** Writes a list's state to URL parameters, omitting defaults and keeping other parameters (like an open job). */
export function writeListState(
  current: URLSearchParams,
  state: ListState,
  type: Doctype,
  defaults: ListDefaults,
): URLSearchParams {
  const params = new URLSearchParams(current)
  for (const key of [...ownParams, ...Object.keys(type.fields), 'owner']) params.delete(key)
  const any = state.any ?? []
  const isPlain = any.length === 0 && sameFilters(state.filters, defaults.filters)
  // If the user keeps other filters than the common ones, write them out: for others, a URL without filters means the common
  // ones.
  if (!isPlain || !sameFilters(defaults.filters, defaults.common)) {
    if (state.filters.length === 0) params.set('filter', 'none')
    for (const [field, operator, value] of state.filters) params.append(field, JSON.stringify([operator, value]))
  }
  if (any.length > 0) params.set('any', JSON.stringify(any))
  if (state.text.trim() !== '') params.set('q', state.text)
  if (state.order.field !== defaults.order.field || state.order.direction !== defaults.order.direction) {
    params.set('order_by', `${state.order.field} ${state.order.direction}`)
  }
  if (state.group) params.set('group', state.group)
  if (state.page > 1) params.set('page', String(state.page))
  if (state.pageSize !== defaults.pageSize) params.set('page_size', String(state.pageSize))
  return params
}

/** Whether two sets of filters are equal, in any order. */
export function sameFilters(a: readonly FilterTriple[], b: readonly FilterTriple[]): boolean {
  const text = (filters: readonly FilterTriple[]) =>
    filters
      .map((filter) => JSON.stringify(filter))
      .toSorted()
      .join('\n')
  return a.length === b.length && text(a) === text(b)
}
