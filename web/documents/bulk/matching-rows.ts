import type { Doctype } from '#shared/doctype.ts'
import { maxSelected } from '#shared/rules/max-selected.ts'
import { fetchAllRows } from '#web/lib/api/all-rows.ts'
import type { ListRow } from '../values/cells.tsx'
import type { ListRequest } from '../query/list-request.ts'

type MatchingRequest = Pick<ListRequest, 'fields' | 'filters' | 'or_filters' | 'order_by'>

/** All rows that match a list's filters, across pages, up to `maxSelected`. Throws `ApiError`. */
export async function matchingRows<R extends ListRow>(
  type: Doctype,
  { fields, filters, or_filters, order_by }: MatchingRequest,
): Promise<R[]> {
  return await fetchAllRows<R>(type.name, { fields, filters, or_filters, order_by }, maxSelected)
}
