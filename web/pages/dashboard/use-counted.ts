import type { FilterTriple } from '#shared/doctype.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { useGroupedCount } from '#web/lib/api/frappe.tsx'
import { countedRows, type Counted } from './counts.ts'

/** Documents counted by the values of a field, live. Identical counts on a page share one request. Null reads nothing. */
export function useCounted(
  doctype: string | null,
  field: string,
  filters: readonly FilterTriple[],
): { rows: Counted[] | undefined; error: ApiError | null; reload: () => void } {
  const counts = useGroupedCount(doctype, field, { filters })
  return {
    rows: counts.data && countedRows(counts.data, field),
    error: counts.error,
    reload: () => void counts.reload(),
  }
}
