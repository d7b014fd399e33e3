import { useLocation, useNavigate } from 'react-router'
import { pageSizes } from '#web/documents/query/list-state.ts'

/** State of a tab's list, stored in the URL under the tab's name. */
export interface TabQuery {
  /** Search text. */
  readonly text: string
  /** Values of filters by name; absent: all. */
  readonly filters: Readonly<Record<string, string>>
  /** Starts at 1. */
  readonly page: number
  readonly pageSize: number
  /** The item open in a drawer; null for none. */
  readonly open: string | null
}

/** Change of a query. A new text, filter or page size resets to the first page; '' removes a filter. */
export interface TabChange {
  readonly text?: string
  readonly filter?: readonly [name: string, value: string]
  readonly page?: number
  readonly pageSize?: number
  readonly open?: string | null
  /** Resets text, filters and page. */
  readonly clear?: true
}

/** Parses a tab's query from the URL; invalid values are ignored. */
export function readTabQuery(search: string, tab: string, filterNames: readonly string[]): TabQuery {
  const params = new URLSearchParams(search)
  const get = (name: string) => params.get(`${tab}.${name}`) ?? ''
  const page = Number(get('page'))
  const size = Number(get('size'))
  return {
    text: get('q'),
    filters: Object.fromEntries(filterNames.flatMap((name) => (get(name) === '' ? [] : [[name, get(name)]]))),
    page: Number.isSafeInteger(page) && page >= 1 ? page : 1,
    pageSize: pageSizes.find((known) => known === size) ?? pageSizes[0],
    open: get('open') || null,
  }
}

/** Search string after a change; other parameters stay. */
export function changedSearch(search: string, tab: string, change: TabChange): string {
  const params = new URLSearchParams(search)
  const set = (name: string, value: string) => {
    if (value === '') params.delete(`${tab}.${name}`)
    else params.set(`${tab}.${name}`, value)
  }
  if (change.clear) {
    const kept = [`${tab}.size`, `${tab}.open`]
    for (const name of [...params.keys()]) if (name.startsWith(`${tab}.`) && !kept.includes(name)) params.delete(name)
  }
  if (change.text !== undefined) set('q', change.text)
  if (change.filter) set(change.filter[0], change.filter[1])
  if (change.pageSize !== undefined) set('size', change.pageSize === pageSizes[0] ? '' : String(change.pageSize))
  if (change.text !== undefined || change.filter || change.pageSize !== undefined) set('page', '')
  if (change.page !== undefined) set('page', change.page === 1 ? '' : String(change.page))
  if (change.open !== undefined) set('open', change.open ?? '')
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Parameters of a list method for a query. */
export function pageParams(query: TabQuery): Record<string, unknown> {
  return {
    ...query.filters,
    limit: query.pageSize,
    limit_start: (query.page - 1) * query.pageSize,
  }
}

/** A tab's query and its setter. */
export function useTabQuery(tab: string, filterNames: readonly string[]): [TabQuery, (change: TabChange) => void] {
  const { search, hash } = useLocation()
  const navigate = useNavigate()
  const change = (next: TabChange) => navigate({ search: changedSearch(search, tab, next), hash }, { replace: true })
  return [readTabQuery(search, tab, filterNames), change]
}
