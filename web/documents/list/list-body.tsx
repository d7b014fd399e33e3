import { useEffect, type ReactNode } from 'react'
import { BulkBar } from '../bulk/bulk-bar.tsx'
import { BulkTray } from '../bulk/bulk-tray.tsx'
import type { ListRow } from './cells.tsx'
import { ListCards } from './list-cards.tsx'
import { ListPager } from './list-pager.tsx'
import { ListTable, type RowsProps } from './list-rows.tsx'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'

/**
 * A list below its filters: table or cards, pages, the bar over selected rows and the line of work on many. A page that has
 * no rows any more gives way to the last one that has some.
 */
export function ListBody({
  rows: rowsProps,
  total,
  nothing,
  instead,
  bulk,
}: {
  rows: RowsProps
  /** Rows on all pages; undefined until it is known. */
  total: number | undefined
  /** Shown where there is no row. */
  nothing: ReactNode
  /** Shown in place of rows that could not be read. */
  instead?: ReactNode
  /** Actions that are not for many, further content of the bar, and all rows of all pages. */
  bulk: { except: readonly string[]; extra: (rows: readonly ListRow[]) => ReactNode; readAll: () => Promise<ListRow[]> }
}) {
  const { type, rows, selection, state, onChange } = rowsProps
  const phone = useBreakpoint() === 'phone'
  const known = total ?? rows?.length ?? 0
  const lastPage = Math.max(1, Math.ceil(known / state.pageSize))
  const beyond = total !== undefined && rows?.length === 0 && state.page > lastPage
  useEffect(() => {
    if (beyond) onChange({ page: lastPage }, true)
  }, [beyond, lastPage, onChange])

  const picked = selection !== null && selection.rows.length > 0 ? selection : null
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
      {rows && known > 0 ? <ListPager state={state} rows={rows.length} total={known} onChange={onChange} /> : null}
      {picked ? (
        <>
          {/* What stands under the bar can be scrolled above it. */}
          <div aria-hidden="true" className="h-16" />
          <BulkBar
            type={type}
            selection={picked}
            total={known}
            except={bulk.except}
            extra={bulk.extra(picked.rows)}
            readAll={bulk.readAll}
          />
        </>
      ) : null}
      <BulkTray raised={picked !== null} />
    </>
  )
}
