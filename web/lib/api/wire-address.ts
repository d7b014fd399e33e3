/** URLs of the API's read calls (docs/api.md). */

/** `[field, operator, value]` as the API takes it. */
export type Filter = readonly [field: string, operator: string, value: unknown]

/** One group of filters, of which one must match, or several groups. */
export type Alternatives = readonly Filter[] | readonly (readonly Filter[])[]

/** Options of a list request. `limit` 0 means the server's maximum (500). */
export interface ListOptions<F extends string = string> {
  fields?: readonly F[]
  filters?: readonly Filter[]
  or_filters?: Alternatives
  /** `field [asc|desc], …` */
  order_by?: string
  /** `field, …`: groups rows for aggregates such as `count(name) as n`. */
  group_by?: string
  limit?: number
  start?: number
}

/** URL of a method called by GET. Values other than strings are sent as JSON; undefined ones are omitted. */
export function methodAddress(method: string, params: Record<string, unknown> = {}): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined || value === null) continue
    search.set(key, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const text = search.toString()
  return `/api/method/${method}${text && `?${text}`}`
}

/** URL of a doctype's documents, or of one of them. */
export function resourceAddress(doctype: string, name?: string): string {
  return `/api/resource/${encodeURIComponent(doctype)}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`
}

/** Default page size of a list (docs/contracts/screens.md, section 9). */
export const defaultPageSize = 20

/** The method that lists documents. */
export const listMethod = 'frappe.client.get_list'

/** Parameters of `listMethod`, with the default page size. */
export function listParams(doctype: string, options: ListOptions): Record<string, unknown> {
  const { fields = ['name'], filters, or_filters, order_by, group_by, start = 0, limit = defaultPageSize } = options
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
