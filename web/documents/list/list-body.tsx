import { useDeferredValue, useEffect, type ReactNode } from 'react'
import { BulkBar } from '../bulk/bulk-bar.tsx'
import type { BulkStart } from '../bulk/bulk-choices.ts'
import { BulkTray } from '../bulk/bulk-tray.tsx'
import type { ListRow } from '../values/cells.tsx'
import { ListCards } from './list-cards.tsx'
import { ListPager } from './list-pager.tsx'
import { ListTable, type RowsProps } from './list-rows.tsx'
import { countCap } from '#web/lib/i18n/number-format.ts'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'

/**
 * A list below its filters: table or cards, pagination, the bulk bar and the bulk tray. If a page has no rows anymore, goes
 * to the last page with rows.
 */
export function ListBody<R extends ListRow>({
  rows: rowsProps,
  total,
  onCountAll,
  nothing,
  instead,
  bulk,
}: {
  rows: RowsProps<R>
  /** Rows on all pages, as `useCount` returns it; undefined while unknown. */
  total: number | undefined
  /** Counts all rows, if counting stopped above `countCap`. */
  onCountAll?: (() => void) | undefined
  /** Empty state. */
  nothing: ReactNode
  /** Shown in place of rows that failed to load. */
  instead?: ReactNode
  /** Actions not offered for multiple rows, who does them if not this tab, extra content of the bar, and a reader of all rows on all pages. */
  bulk: {
    except: readonly string[]
    start?: BulkStart | undefined
    extra: (rows: readonly R[]) => ReactNode
    readAll: () => Promise<R[]>
  }
}) {
  const { type, rows, selection, state, onChange } = rowsProps
  const phone = useBreakpoint() === 'phone'
  const known = total ?? rows?.length ?? 0
  const lastPage = Math.max(1, Math.ceil((known === Infinity ? countCap + 1 : known) / state.pageSize))
  const beyond = total !== undefined && rows?.length === 0 && state.page > lastPage
  useEffect(() => {
    if (beyond) onChange({ page: lastPage }, true)
  }, [beyond, lastPage, onChange])

  const bar =
    selection !== null && selection.rows.length > 0 ? (
      <>
        {/* Space, so that content below the bar can be scrolled into view. */}
        <div aria-hidden="true" className="h-16" />
        <BulkBar
          type={type}
          selection={selection}
          total={known}
          except={bulk.except}
          start={bulk.start}
          extra={bulk.extra(selection.rows)}
          readAll={bulk.readAll}
        />
      </>
    ) : null
  // The box is ticked first; the bar with the actions that fit, which take longer, follows.
  const drawnBar = useDeferredValue(bar)
  return (
    <>
      {instead ??
        (rows?.length === 0 && !beyond ? (
          <div className="rounded-card border border-border bg-surface shadow-xs">{nothing}</div>
        ) : phone ? (
          <ListCards {...rowsProps} />
        ) : (
          <ListTable {...rowsProps} />
        ))}
      {rows && known > 0 ? (
        <ListPager state={state} rows={rows.length} total={known} onCountAll={onCountAll} onChange={onChange} />
      ) : null}
      {drawnBar}
      <BulkTray raised={drawnBar !== null} />
    </>
  )
}
