import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { useCount } from '#web/lib/frappe.tsx'
import { ViewChip } from '#web/ui/chip.tsx'
import { wireFilter } from './list-query.ts'
import { sameFilters, type ListState } from './list-state.ts'
import { t } from './messages.ts'

/** A named set of filters over a list. */
export interface ListView {
  readonly key: string
  readonly label: string
  readonly filters: readonly FilterTriple[]
}

function Chip({
  type,
  view,
  active,
  onSelect,
}: {
  type: Doctype
  view: ListView
  active: boolean
  onSelect: () => void
}) {
  const count = useCount(type.name, { filters: view.filters.map(wireFilter) })
  return (
    <ViewChip active={active} count={count.data ?? null} onClick={onSelect}>
      {view.label}
    </ViewChip>
  )
}

/** Views as chips with their counts. A view is on when exactly its filters are. */
export function ListViews({
  type,
  views,
  state,
  onChange,
}: {
  type: Doctype
  views: readonly ListView[]
  state: ListState
  onChange: (change: Partial<ListState>) => void
}) {
  return (
    <div
      role="group"
      aria-label={t('list.views')}
      className="mb-3 flex items-center gap-1 overflow-x-auto p-px [scrollbar-width:none]"
    >
      {views.map((view) => (
        <Chip
          key={view.key}
          type={type}
          view={view}
          active={state.text === '' && sameFilters(state.filters, view.filters)}
          onSelect={() => onChange({ filters: view.filters, text: '' })}
        />
      ))}
    </div>
  )
}
