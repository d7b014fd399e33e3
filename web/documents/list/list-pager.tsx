import { ChevronLeft, ChevronRight } from 'lucide-react'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
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
  onCountAll,
  onChange,
}: {
  state: ListState
  rows: number
  total: number
  /** Counts all rows, if counting stopped above `countCap`. */
  onCountAll?: (() => void) | undefined
  onChange: (change: Partial<ListState>) => void
}) {
  const isCapped = total === Infinity
  const isLast = isCapped ? rows < state.pageSize : state.page >= Math.ceil(total / state.pageSize)
  return (
    <nav aria-label={t('list.pages')} className="flex min-h-11 items-center gap-3 pt-2 text-table text-muted">
      <span>{formatRange(state, rows, formatNumber(total))}</span>
      {isCapped && onCountAll ? (
        <Button size="sm" variant="ghost" onClick={onCountAll}>
          {t('list.count_all')}
        </Button>
      ) : null}
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
        <IconButton label={t('list.next')} disabled={isLast} onClick={() => onChange({ page: state.page + 1 })}>
          <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </span>
    </nav>
  )
}
