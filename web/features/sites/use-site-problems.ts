import { siteAttention, sitesDown, sitesFailed, sitesInUse } from '#shared/rules/site-attention.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { useCount } from '#web/lib/api/frappe.tsx'

/** How many sites have a problem; undefined while unknown, `Infinity` above `countCap`. */
export interface SiteProblems {
  /** All that the view "Needs attention" lists. */
  readonly attention: number | undefined
  readonly down: number | undefined
  readonly failed: number | undefined
  readonly error: ApiError | null
}

/** The counts that the menu, the dashboard and the list say: one request each, so that they are the same everywhere. */
export function useSiteProblems(wanted = true): SiteProblems {
  const doctype = wanted ? 'Site' : null
  const attention = useCount(doctype, { filters: sitesInUse, or_filters: siteAttention })
  const down = useCount(doctype, { filters: sitesDown })
  const failed = useCount(doctype, { filters: sitesFailed })
  return {
    attention: attention.data,
    down: down.data,
    failed: failed.data,
    error: attention.error ?? down.error ?? failed.error,
  }
}
