import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { useClient } from '#web/lib/frappe.tsx'
import type { ListRow } from './cells.tsx'
import type { ListRequest } from './list-query.ts'

/** Most rows that are selected at once: what one request gives. */
export const mostSelected = 500

/** Reads all rows a list's conditions match, over all pages, up to `mostSelected`. Throws what the request throws. */
export function useMatchingRows(
  type: Doctype,
): (
  request: { fields: string[]; filters: FilterTriple[] } & Pick<ListRequest, 'or_filters' | 'order_by'>,
) => Promise<ListRow[]> {
  const { call } = useClient()
  return async ({ fields, filters, or_filters, order_by }) => {
    const answer = await call.get<{ message: ListRow[] | undefined }>('frappe.client.get_list', {
      doctype: type.name,
      fields: JSON.stringify(fields),
      filters: JSON.stringify(filters),
      or_filters: JSON.stringify(or_filters),
      order_by,
      limit_page_length: mostSelected,
    })
    return answer.message ?? []
  }
}
