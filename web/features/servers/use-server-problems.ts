import { brokenServerStatuses, unhealthyServerStatuses } from '#shared/doctypes/server.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { useCount } from '#web/lib/api/frappe.tsx'

/** Servers that need attention, as the list filters them. */
export const unhealthyServers = [['status', 'in', unhealthyServerStatuses]] as const
const brokenServers = [['status', 'in', brokenServerStatuses]] as const

/** How many servers need attention, and how many of them serve no sites; undefined while unknown. See `useSiteProblems`. */
export function useServerProblems(wanted = true): {
  readonly attention: number | undefined
  readonly broken: number | undefined
  readonly error: ApiError | null
} {
  const doctype = wanted ? 'Server' : null
  const attention = useCount(doctype, { filters: unhealthyServers })
  const broken = useCount(doctype, { filters: brokenServers })
  return { attention: attention.data, broken: broken.data, error: attention.error ?? broken.error }
}
