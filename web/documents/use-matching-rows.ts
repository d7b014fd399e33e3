import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { useClient } from '#web/lib/frappe.tsx'
import { readWhole } from '#web/lib/whole-list.ts'
import type { ListRow } from './cells.tsx'
import type { ListRequest } from './list-query.ts'

/**
 * Most rows that are selected at once. Each is a request of its own, and a person has 600 of those in a minute: more would
 * hold the screen up for longer than anybody watches.
 */
export const mostSelected = 2000

/** Reads all rows a list's conditions match, over all pages, up to `mostSelected`. Throws what a request throws. */
export function useMatchingRows(
  type: Doctype,
): (
  request: { fields: string[]; filters: FilterTriple[] } & Pick<ListRequest, 'or_filters' | 'order_by'>,
) => Promise<ListRow[]> {
  const { call } = useClient()
  return ({ fields, filters, or_filters, order_by }) =>
    readWhole<ListRow>(call, type.name, { fields, filters, or_filters, order_by }, mostSelected)
}
