import type { FilterTriple } from '../doctype.ts'

/** What makes a site that is not archived need attention, most urgent first. */
export const siteAttention = [
  ['health', '=', 'Down'],
  ['status', '=', 'Failed'],
  ['wordpress_checksum', '=', 'Modified'],
  ['status', '=', 'Suspended'],
  ['wordpress_health', '=', 'Needs Attention'],
] as const satisfies readonly FilterTriple[]

/** Sites in use: those that are not archived. */
export const sitesInUse = [['status', '!=', 'Archived']] as const satisfies readonly FilterTriple[]
/** Sites that don't answer. */
export const sitesDown = [
  ['status', '=', 'Live'],
  ['health', '=', 'Down'],
] as const satisfies readonly FilterTriple[]
/** Sites whose setup or other job failed. */
export const sitesFailed = [['status', '=', 'Failed']] as const satisfies readonly FilterTriple[]

/** Sites at WP Cloud that need attention. */
export const wpcSiteAttention = [['status', 'in', ['Failed', 'Suspended']]] as const satisfies readonly FilterTriple[]

/** Urgency of a site: 5 if it is down, 1 if only its WordPress needs attention, 0 if nothing does. */
export function siteUrgency(site: Readonly<Record<string, unknown>>): number {
  if (site.status === 'Archived') return 0
  const at = siteAttention.findIndex(([field, , value]) => site[field] === value)
  return at === -1 ? 0 : siteAttention.length - at
}
