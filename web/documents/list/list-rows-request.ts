import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { sortableFields } from '#shared/rules/sortable-fields.ts'
import { readsField } from '../actions/readable.ts'
import type { Viewer } from '../actions/viewer.ts'
import { listFields, listRequest, type ListRequest } from '../query/list-request.ts'
import { listDefaults, readListState, type ListState } from '../query/list-state.ts'
import type { ColumnOptions } from './list-columns.ts'
import { listPreferences } from './list-preferences.ts'

/** The field that marks a favorite; shown as the star before the name. */
export const favoriteField = 'favorite'

/** Whether rows of a doctype can be favorites. */
export function hasFavorites(type: Doctype): boolean {
  return type.fields[favoriteField]?.personal === true
}

/** The columns, where only those that the server can sort quickly at any length can be sorted. */
export function sortableColumns<C extends ColumnOptions>(type: Doctype, columns: readonly C[]): C[] {
  const sortable = sortableFields(type)
  return columns.map((column) => (sortable.includes(column.field) ? column : { ...column, unsortable: true }))
}

/** Fields to request for the columns and for the gates of the row's actions. */
export function requestFields(type: Doctype, columns: readonly ColumnOptions[], group?: string | null): string[] {
  const gate = ['owner', 'status', 'locked_by_job'].filter((name) => name === 'owner' || name in type.fields)
  return listFields(type, [
    ...columns.flatMap((column) => [column.field, ...(column.also ?? [])]),
    ...gate,
    ...(group ? [group] : []),
  ])
}

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
