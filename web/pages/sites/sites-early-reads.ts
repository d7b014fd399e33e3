import { SiteDoctype } from '#shared/doctypes/site.ts'
import { readListEarly } from '#web/documents/list/read-list-early.ts'
import type { Arrival } from '#web/lib/routing/route-match.ts'
import { sessionRoles } from '#web/lib/session/session.tsx'
import { siteListColumns } from './site-list-columns.ts'
import { namesRequest, summaryCounts, summaryNames } from './site-summary-reads.ts'

/** Starts what the list of sites shows first: its rows, and the largest text above them. */
export function readSitesEarly(arrival: Arrival): void {
  readListEarly(SiteDoctype, siteListColumns(sessionRoles(arrival.session).privileged), arrival, {
    counts: summaryCounts.map((filters) => ({ filters })),
    lists: summaryNames.map(namesRequest),
  })
}
