/** Addresses of the wire's reading calls (docs/api.md). */

/** `[field, operator, value]` as the wire takes it. */
export type Filter = readonly [field: string, operator: string, value: unknown]

/** What a list request can say. `limit` 0 means the server's most (500). */
export interface ListOptions {
  fields?: readonly string[]
  filters?: readonly Filter[]
  or_filters?: readonly Filter[]
  /** `field [asc|desc], …` */
  order_by?: string
  /** `field, …`: equal rows as one, for aggregates such as `count(name) as n`. */
  group_by?: string
  limit?: number
  start?: number
}

/** A method that is called by GET: everything but texts as JSON, what is not there left out. */
export function methodAddress(method: string, params: Record<string, unknown> = {}): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined || value === null) continue
    search.set(key, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const text = search.toString()
  return `/api/method/${method}${text && `?${text}`}`
}

/** A doctype's documents, or one of them. */
export function resourceAddress(doctype: string, name?: string): string {
  return `/api/resource/${encodeURIComponent(doctype)}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`
}

/** Rows of a page of a list where nobody chose otherwise (docs/contracts/screens.md, section 9). */
export const usualPageSize = 20

/** The method that lists documents. */
export const listMethod = 'frappe.client.get_list'

/** Parameters of `listMethod`; a usual page unless said otherwise. */
export function listParams(doctype: string, options: ListOptions): Record<string, unknown> {
  const { fields = ['name'], filters, or_filters, order_by, group_by, start = 0, limit = usualPageSize } = options
  return {
    doctype,
    fields,
    ...(filters?.length && { filters }),
    ...(or_filters?.length && { or_filters }),
    ...(order_by && { order_by }),
    ...(group_by && { group_by }),
    limit_start: start,
    limit_page_length: limit,
  }
}
