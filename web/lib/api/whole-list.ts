import type { ListOptions } from './api.ts'
import { listKey } from './data-client.ts'
import { readList, useLoaded, type Loaded } from './frappe.tsx'
import { useListEvents } from './use-events.ts'

/** Most rows of one answer. */
const pageRows = 500
/** Names asked for at once: an address has room for so many. */
const namesAtOnce = 200

/**
 * All rows of a list, page after page, at most `most`; by default the oldest first, so that new ones do not shift the
 * pages (the server orders equals by their names). Throws what a request throws.
 */
export async function readWhole<T extends { name: string }>(
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

/** All rows of a list, live, however many there are; for lists that are looked through here. Null: nothing is read. */
export function useWholeList<T extends { name: string }>(
  doctype: string | null,
  options: Omit<ListOptions, 'start' | 'limit'> = {},
): Loaded<T[]> {
  const loaded = useLoaded<T[]>(
    doctype ? listKey(doctype, 'whole', options) : null,
    () => readWhole<T>(doctype ?? '', options),
    { keepPrevious: true },
  )
  useListEvents(doctype, () => void loaded.reload())
  return loaded
}

/** The rows of these names, in parts that one request can carry. Throws what a request throws. */
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

/** The rows of these names, live, however many they are. None: nothing is read. */
export function useNamed<T>(
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
