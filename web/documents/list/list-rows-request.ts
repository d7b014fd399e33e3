import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { readsField } from '../actions/readable.ts'
import type { Viewer } from '../actions/viewer.ts'
import { listRequest, type ListRequest } from '../query/list-request.ts'
import { listDefaults, readListState, type ListState } from '../query/list-state.ts'
import { requestFields, sortableColumns, type ColumnOptions } from './list-columns.ts'
import { listPreferences } from './list-preferences.ts'

/** Columns that the viewer can read; the first names the row and always stays. */
export function readableColumns<C extends ColumnOptions>(type: Doctype, columns: readonly C[], viewer: Viewer): C[] {
  return sortableColumns(type, columns).filter(({ field }, at) => at === 0 || readsField(type, viewer, field))
}

/** The request of a list's rows; `scope` are the page's own filters. */
export function rowsRequest(
  type: Doctype,
  columns: readonly ColumnOptions[],
  state: ListState,
  scope: readonly FilterTriple[] = [],
): ListRequest {
  const base = listRequest(type, [], state)
  return { ...base, filters: [...base.filters, ...scope], fields: requestFields(type, columns, state.group) }
}

/** The request that a list makes first, from the address and the account's preferences. */
export function firstRowsRequest(
  type: Doctype,
  columns: readonly ColumnOptions[],
  { viewer, preferences, search }: { viewer: Viewer; preferences: unknown; search: string },
): ListRequest {
  const defaults = listDefaults(type, listPreferences(preferences, type).kept)
  const state = readListState(new URLSearchParams(search), type, defaults)
  return rowsRequest(type, readableColumns(type, columns, viewer), state)
}
