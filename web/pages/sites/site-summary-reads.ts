import type { FilterTriple } from '#shared/doctype.ts'
import { sitesDown, sitesFailed, sitesInUse } from '#shared/rules/site-attention.ts'

export const sitesArchived = [['status', '=', 'Archived']] as const satisfies readonly FilterTriple[]
export const sitesWorking = [
  ['status', 'in', ['Setting Up', 'Updating', 'Restoring', 'Archiving']],
] as const satisfies readonly FilterTriple[]
export const sitesUp = [
  ['status', '=', 'Live'],
  ['health', 'in', ['Up', 'Slow', 'Asleep']],
] as const satisfies readonly FilterTriple[]

/** What the summary of the list counts, and its heading. */
export const summaryCounts = [sitesInUse, sitesDown, sitesFailed, sitesArchived, sitesUp, sitesWorking]

/** What the summary names sites of. */
export const summaryNames = [sitesDown, sitesFailed, sitesWorking]

/** Maximum names listed; the value has the number. */
export const namedSites = 2

/** The request of the first sites that match. */
export const namesRequest = (filters: readonly FilterTriple[]) => ({
  fields: ['name', 'domain', 'title'] as const,
  filters,
  order_by: 'modified desc',
  limit: namedSites + 1,
})
