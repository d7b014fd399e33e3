import { SiteDoctype } from '#shared/doctypes/site.ts'
import { viewerOf } from '#web/documents/actions/viewer.ts'
import { firstRowsRequest } from '#web/documents/list/list-rows-request.ts'
import { countKey, countRequest, listKey } from '#web/lib/api/data-keys.ts'
import { readEarlyBatch } from '#web/lib/api/early-reads.ts'
import { listParams } from '#web/lib/api/wire-address.ts'
import type { Arrival } from '#web/lib/routing/route-match.ts'
import { sessionRoles } from '#web/lib/session/session.tsx'
import { siteListColumns } from './site-list-columns.ts'
import { namesRequest, summaryCounts, summaryNames } from './site-summary-reads.ts'

/** Starts what the list of sites shows first: its rows, and the largest text above them. */
export function readSitesEarly({ session, preferences, search }: Arrival): void {
  const viewer = viewerOf(session)
  const { admin, manager, owner } = sessionRoles(session)
  const columns = siteListColumns(admin || manager || owner)
  const request = firstRowsRequest(SiteDoctype, columns, { viewer, preferences, search })
  readEarlyBatch(
    'easydash.api.documents.get_counts',
    summaryCounts.map((filters) => {
      const params = countRequest({ filters })
      return [countKey('Site', params), { doctype: 'Site', ...params }]
    }),
  )
  readEarlyBatch(
    'easydash.api.documents.get_lists',
    [request, ...summaryNames.map(namesRequest)].map((list) => [listKey('Site', list), listParams('Site', list)]),
  )
}
