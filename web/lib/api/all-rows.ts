import type { ListOptions } from './api.ts'
import { listKey } from './data-keys.ts'
import { readList } from './batched-reads.ts'
import { useLoaded, type Loaded } from './frappe.tsx'
import { useListEvents } from '../events/use-events.ts'

/** Maximum rows per response. */
const pageRows = 500
/** Names per request, limited by the length of a URL. */
const namesAtOnce = 200

/**
 * Reads all rows of a list page by page, at most `most`. Oldest first by default, so that new rows don't shift the pages
 * (the server breaks ties by name). Throws what a request throws.
 */
export async function fetchAllRows<T extends { name: string }>(
  doctype: string,
  options: Omit<ListOptions, 'start' | 'limit'>,
  most = Infinity,
): Promise<T[]> {
  const found = new Map<string, T>()
  for (let start = 0; found.size < most; start += pageRows) {
    const rows = await readList<T>(doctype, {
      ...options,
      order_by: options.order_by ?? 'creation asc',
      start,
      limit: Math.min(pageRows, most - found.size),
    })
    for (const row of rows) found.set(row.name, row)
    if (rows.length < pageRows) break
  }
  return [...found.values()].slice(0, most)
}

/** All rows of a list, live, for lists that are filtered in the browser. Null fetches nothing. */
export function useAllRows<T extends { name: string }>(
  doctype: string | null,
  options: Omit<ListOptions, 'start' | 'limit'> = {},
): Loaded<T[]> {
  const loaded = useLoaded<T[]>(
    doctype ? listKey(doctype, 'whole', options) : null,
    () => fetchAllRows<T>(doctype ?? '', options),
    { keepPrevious: true },
  )
  useListEvents(doctype, () => void loaded.reload())
  return loaded
}

/** Reads the rows with these names, split into requests that fit a URL. Throws what a request throws. */
export async function readNamed<T>(
  doctype: string,
  names: readonly string[],
  options: Pick<ListOptions, 'fields' | 'filters'>,
): Promise<T[]> {
  const parts = Array.from({ length: Math.ceil(names.length / namesAtOnce) }, (_, at) =>
    names.slice(at * namesAtOnce, (at + 1) * namesAtOnce),
  )
  const rows = await Promise.all(
    parts.map((part) =>
      readList<T>(doctype, {
        ...options,
        filters: [['name', 'in', part], ...(options.filters ?? [])],
        limit: part.length,
      }),
    ),
  )
  return rows.flat()
}

/** The rows with these names, live. An empty list fetches nothing. */
export function useRowsByName<T>(
  doctype: string,
  names: readonly string[],
  options: Pick<ListOptions, 'fields' | 'filters'>,
): Loaded<T[]> {
  const loaded = useLoaded<T[]>(
    names.length > 0 ? listKey(doctype, 'named', names, options) : null,
    () => readNamed<T>(doctype, names, options),
    { keepPrevious: true },
  )
  useListEvents(names.length > 0 ? doctype : null, () => void loaded.reload())
  return loaded
}
