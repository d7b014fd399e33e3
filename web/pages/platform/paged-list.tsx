import { useRef, type ReactNode } from 'react'
import type { Command } from '#web/documents/actions/copy-as.ts'
import { CopyListButton } from '#web/documents/list/copy-list-button.tsx'
import { ColumnRows, type RowColumn } from '#web/documents/list/column-rows.tsx'
import type { RowData } from '#web/documents/list/data-table.tsx'
import { useListKeys } from '#web/documents/list/list-keyboard.ts'
import { ListPager } from '#web/documents/list/list-pager.tsx'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { SearchInput } from '#web/ui/form/search-input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import type { TabChange, TabQuery } from './tab-query.ts'
import { t } from './messages.ts'

/** A filter of the list: one of its values, or all. */
export interface PagedFilter {
  readonly name: string
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

const noKeys = {}

/**
 * A list with rows from a platform method: search, filters, table or cards, pages. Its state is in the URL. The first column
 * names the row; `actions` come last.
 */
export function PagedList<R extends RowData>({
  label,
  query,
  onChange,
  loaded,
  rows,
  total,
  rowKey,
  columns,
  actions,
  search,
  filters = [],
  aside,
  command,
  errorTitle,
  empty,
}: {
  label: string
  query: TabQuery
  onChange: (change: TabChange) => void
  loaded: { readonly error: ApiError | null; readonly isSlow: boolean; readonly reload: () => Promise<void> }
  /** Undefined during the initial load. */
  rows: readonly R[] | undefined
  total: number
  rowKey: (row: R) => string
  columns: readonly RowColumn<R>[]
  actions?: (row: R) => ReactNode
  /** What the search covers; absent: no search. */
  search?: string
  filters?: readonly PagedFilter[]
  aside?: ReactNode
  /** The API call of the rows. */
  command: () => Command
  errorTitle: string
  /** Empty state. */
  empty: { readonly title: string; readonly text: string }
}) {
  const filtered = query.text !== '' || Object.keys(query.filters).length > 0
  const filterRow = useRef<HTMLDivElement>(null)
  useListKeys({
    rows: [],
    selection: null,
    rowKeys: noKeys,
    onFilter: () => filterRow.current?.querySelector<HTMLElement>('input, select')?.focus(),
  })
  return (
    <div className="grid grid-cols-1 gap-3">
      <div ref={filterRow} className="flex flex-wrap items-center gap-2">
        {search === undefined ? null : (
          <SearchInput className="w-72" label={search} text={query.text} onChange={(text) => onChange({ text })} />
        )}
        {filters.map((filter) => (
          <Select
            key={filter.name}
            small
            className="max-md:flex-1 max-md:basis-36"
            aria-label={filter.label}
            value={query.filters[filter.name] ?? ''}
            onChange={(event) => onChange({ filter: [filter.name, event.target.value] })}
          >
            <option value="">{t('list.all', { what: filter.label })}</option>
            {filter.options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </Select>
        ))}
        {aside}
        <span className="ml-auto">
          <CopyListButton command={command} />
        </span>
      </div>
      {loaded.error && !rows ? (
        <ErrorPanel title={errorTitle} error={loaded.error} onRetry={() => loaded.reload()} />
      ) : rows?.length === 0 ? (
        <div className="rounded-card border border-border bg-surface shadow-xs">
          {filtered || query.page > 1 ? (
            <EmptyState
              title={t('list.no_match')}
              action={<Button onClick={() => onChange({ clear: true })}>{t('list.clear')}</Button>}
            />
          ) : (
            <EmptyState title={empty.title}>{empty.text}</EmptyState>
          )}
        </div>
      ) : (
        <div>
          <StillLoading slow={loaded.isSlow} />
          <ColumnRows
            label={label}
            rows={rows}
            expected={Math.min(query.pageSize, 8)}
            rowKey={rowKey}
            columns={columns}
            {...(actions && { actions })}
          />
          {rows ? (
            <ListPager
              state={{
                filters: [],
                text: query.text,
                order: { field: 'creation', direction: 'desc' },
                page: query.page,
                pageSize: query.pageSize,
              }}
              rows={rows.length}
              total={total}
              onChange={({ page, pageSize }) =>
                onChange({ ...(page !== undefined && { page }), ...(pageSize !== undefined && { pageSize }) })
              }
            />
          ) : null}
        </div>
      )}
    </div>
  )
}
