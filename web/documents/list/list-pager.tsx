import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { formatRange } from '../query/list-query.ts'
import { pageSizes, type ListState } from '../query/list-state.ts'
import { t } from './messages.ts'

/** Footer of a list: "1–20 of 143", pages, rows per page. */
export function ListPager({
  state,
  rows,
  total,
  onChange,
}: {
  state: ListState
  rows: number
  total: number
  onChange: (change: Partial<ListState>) => void
}) {
  const pages = Math.max(1, Math.ceil(total / state.pageSize))
  return (
    <nav aria-label={t('list.pages')} className="flex min-h-11 items-center gap-3 pt-2 text-table text-muted">
      <span>{formatRange(state, rows, total)}</span>
      <span className="ml-auto flex items-center gap-2">
        <label className="flex items-center gap-2">
          <span className="max-md:sr-only">{t('list.page_size')}</span>
          <Select
            small
            className="w-20"
            value={state.pageSize}
            onChange={(event) => onChange({ pageSize: Number(event.target.value) })}
          >
            {pageSizes.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </Select>
        </label>
        <IconButton
          label={t('list.previous')}
          disabled={state.page <= 1}
          onClick={() => onChange({ page: state.page - 1 })}
        >
          <ChevronLeft size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
        <IconButton
          label={t('list.next')}
          disabled={state.page >= pages}
          onClick={() => onChange({ page: state.page + 1 })}
        >
          <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </span>
    </nav>
  )
}
