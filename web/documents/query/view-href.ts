import type { Doctype } from '#shared/doctype.ts'
import { listDefaults, readListState, sameFilters } from './list-state.ts'
import type { ListView } from './saved-views.ts'

/** URL of a list that shows a view: its filters, order and columns. */
export function viewHref(path: string, { filters, any = [], order, columns }: ListView): string {
  const params = new URLSearchParams()
  for (const [field, operator, value] of filters) params.append(field, JSON.stringify([operator, value]))
  if (filters.length === 0 && any.length === 0) params.set('filter', 'none')
  if (any.length > 0) params.set('any', JSON.stringify(any))
  if (order) params.set('order_by', `${order.field} ${order.direction}`)
  if (columns) params.set('columns', JSON.stringify(columns))
  return `${path}?${params.toString()}`
}

/** Whether a list with these URL parameters shows a view: the same rows in the same order. */
export function isSameView(type: Doctype, params: URLSearchParams, view: ListView): boolean {
  const state = readListState(params, type, listDefaults(type))
  const { field, direction } = view.order ?? state.order
  return (
    state.text === '' &&
    sameFilters(state.filters, view.filters) &&
    sameFilters(state.any ?? [], view.any ?? []) &&
    state.order.field === field &&
    state.order.direction === direction
  )
}
