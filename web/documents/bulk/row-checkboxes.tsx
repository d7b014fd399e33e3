import { RowCheckbox } from '#web/ui/form/checkbox.tsx'
import type { ListRow } from '../values/cells.tsx'
import { t } from './messages.ts'
import type { Selection } from './use-selection.ts'

/** Checkbox of a row; Shift selects the range from the last one. */
export function SelectRowCheckbox<R extends ListRow>({
  row,
  title,
  selection,
}: {
  row: R
  title: string
  selection: Selection<R>
}) {
  return (
    <RowCheckbox
      label={t('select.row', { title })}
      checked={selection.has(row.name)}
      onChange={() => selection.toggle(row)}
      onClick={(event) => {
        if (!event.shiftKey) return
        event.preventDefault()
        selection.range(row)
      }}
    />
  )
}

/** Checkbox that selects or deselects the rows on screen. */
export function SelectPageCheckbox<R extends ListRow>({
  rows,
  selection,
}: {
  rows: readonly R[]
  selection: Selection<R>
}) {
  const picked = rows.filter((row) => selection.has(row.name)).length
  const all = rows.length > 0 && picked === rows.length
  return (
    <RowCheckbox
      label={t('select.page')}
      disabled={rows.length === 0}
      checked={all}
      some={picked > 0}
      onChange={() => (all ? selection.remove(rows) : selection.add(rows))}
    />
  )
}
