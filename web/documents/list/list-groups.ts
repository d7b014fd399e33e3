import type { Doctype } from '#shared/doctype.ts'
import { fieldTitle, valueLabel } from '../query/list-query.ts'
import { findDoctype, linkTitleKey } from '../query/list-request.ts'
import type { ListRow } from '../values/cells.tsx'
import { t } from './messages.ts'

/** The group of a row: rows of one key stand together below its label. */
export interface RowGroup {
  readonly key: string
  readonly label: string
}

/** How rows are put into groups by a field; null if they are in none. */
export function groupRows(type: Doctype, field: string | null): ((row: ListRow) => RowGroup) | null {
  if (field === null) return null
  const known = type.fields[field]
  const target = known?.fieldtype === 'Link' && typeof known.options === 'string' ? findDoctype(known.options) : null
  return (row) => {
    const value = row[field]
    if (typeof value !== 'string' || value === '')
      return { key: '', label: t('group.none', { field: fieldTitle(type, field) }) }
    const title = target?.title_field ? row[linkTitleKey(field)] : null
    return { key: value, label: typeof title === 'string' ? title : valueLabel(type, field, value) }
  }
}

/** Whether a row begins a group on its page: the one before it is in another, or there is none before it. */
export function beginsGroup<R>(groupOf: (row: R) => RowGroup, rows: readonly R[], at: number): RowGroup | null {
  const row = rows[at]
  if (row === undefined) return null
  const group = groupOf(row)
  const before = rows[at - 1]
  return before !== undefined && groupOf(before).key === group.key ? null : group
}
