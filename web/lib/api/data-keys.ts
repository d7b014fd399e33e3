import type { QueryKey } from '@tanstack/react-query'
import { countCap } from '../i18n/number-format.ts'
import type { ListOptions } from './wire-address.ts'

/** Query key of a document. */
export const docKey = (doctype: string, name: string): QueryKey => ['doc', doctype, name]
/** Query key of all lists of a doctype, or of one list if `request` is given. */
export const listKey = (doctype: string, ...request: unknown[]): QueryKey => ['list', doctype, ...request]
/** Query key of all counts of a doctype, or of one count if `request` is given. */
export const countKey = (doctype: string, ...request: unknown[]): QueryKey => ['count', doctype, ...request]
/** Query key of a method's result. */
export const methodKey = (method: string, params: Record<string, unknown>): QueryKey => ['method', method, params]

/** What is counted: the conditions of a list, and whether all or only up to `countCap`. */
export type CountOptions = Pick<ListOptions, 'filters' | 'or_filters'> & { readonly exact?: boolean }

/** The request of a count for each value of a field, which is in its key. */
export const groupedRequest = (filters: ListOptions['filters'], field: string) => ({ filters, group_by: field })

/** The request of a count, which is in its key. */
export function countRequest({ filters = [], or_filters = [], exact = false }: CountOptions) {
  return { filters, or_filters, ...(!exact && { limit: countCap + 1 }) }
}
