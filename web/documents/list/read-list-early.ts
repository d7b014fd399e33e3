import type { Doctype } from '#shared/doctype.ts'
import { countKey, countRequest, groupedRequest, listKey, type CountOptions } from '#web/lib/api/data-keys.ts'
import { readEarlyBatch } from '#web/lib/api/early-reads.ts'
import { listParams, type ListOptions } from '#web/lib/api/wire-address.ts'
import type { Arrival } from '#web/lib/routing/route-match.ts'
import { viewerOf } from '../actions/viewer.ts'
import type { ColumnOptions } from './list-columns.ts'
import { firstRowsRequest } from './list-rows-request.ts'

/** What a page shows above its list: exactly what its hooks request, or they read it once more. */
interface Summary {
  readonly counts: readonly (CountOptions & { readonly group_by?: string })[]
  readonly lists?: readonly ListOptions[]
}

/** Starts what the page of a list shows first, in two calls: its rows with the small lists above them, and the counts. */
export function readListEarly(
  type: Doctype,
  columns: readonly ColumnOptions[],
  { session, preferences, search }: Arrival,
  { counts, lists = [] }: Summary,
): void {
  const rows = firstRowsRequest(type, columns, { viewer: viewerOf(session), preferences, search })
  readEarlyBatch(
    'easydash.api.documents.get_counts',
    counts.map(({ group_by, ...options }) => {
      const params = group_by === undefined ? countRequest(options) : groupedRequest(options.filters, group_by)
      return [countKey(type.name, params), { doctype: type.name, ...params }]
    }),
  )
  readEarlyBatch(
    'easydash.api.documents.get_lists',
    [rows, ...lists].map((list) => [listKey(type.name, list), listParams(type.name, list)]),
  )
}
