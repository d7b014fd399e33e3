import type { Doctype } from '#shared/doctype.ts'
import { Select } from '#web/ui/form/select.tsx'
import { columnLabel, type ColumnOptions } from './list-columns.ts'
import type { ListState } from '../query/list-state.ts'
import { t } from './messages.ts'

/** Sort control for cards, which have no column headers. */
export function CardSort({
  type,
  columns,
  state,
  onChange,
}: {
  type: Doctype
  columns: readonly ColumnOptions[]
  state: ListState
  onChange: (change: Partial<ListState>) => void
}) {
  const sortable = columns.filter((column) => !column.unsortable)
  // The list's default order need not be a column.
  const isColumn = sortable.some(({ field }) => field === state.order.field)
  const first = type.list?.urgent_first
  const choices = isColumn || state.order.field === first ? sortable : [...sortable, { field: state.order.field }]
  return (
    <Select
      small
      aria-label={t('list.sort')}
      className="min-w-32 flex-1"
      value={`${state.order.field} ${state.order.direction}`}
      onChange={(event) => {
        const [field = '', direction] = event.target.value.split(' ')
        onChange({ order: { field, direction: direction === 'desc' ? 'desc' : 'asc' } })
      }}
    >
      {first ? <option value={`${first} desc`}>{t('list.sort_urgent')}</option> : null}
      {choices.flatMap((column) =>
        (['asc', 'desc'] as const).map((direction) => (
          <option key={`${column.field} ${direction}`} value={`${column.field} ${direction}`}>
            {t(`list.sort_${direction}`, { column: columnLabel(type, column) })}
          </option>
        )),
      )}
    </Select>
  )
}
