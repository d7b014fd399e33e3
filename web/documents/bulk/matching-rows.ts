import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { readWhole } from '#web/lib/api/whole-list.ts'
import type { ListRow } from '../list/cells.tsx'
import type { ListRequest } from '../list/list-query.ts'

type MatchingRequest = { fields: string[]; filters: FilterTriple[] } & Pick<ListRequest, 'or_filters' | 'order_by'>

/**
 * Most rows that are selected at once. Each is a request of its own, and a person has 600 of those in a minute: more would
 * hold the screen up for longer than anybody watches.
 */
export const mostSelected = 2000

/** All rows a list's conditions match, over all pages, up to `mostSelected`. Throws `ApiError`. */
export async function matchingRows(
  type: Doctype,
  { fields, filters, or_filters, order_by }: MatchingRequest,
): Promise<ListRow[]> {
  return await readWhole<ListRow>(type.name, { fields, filters, or_filters, order_by }, mostSelected)
}
