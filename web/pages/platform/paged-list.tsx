import { useRef, type ReactNode } from 'react'
import type { Command } from '#web/documents/actions/copy-as.ts'
import { CopyListButton } from '#web/documents/list/copy-list-button.tsx'
import { DataTable, type DataColumn, type RowData } from '#web/documents/list/data-table.tsx'
import { useListKeys } from '#web/documents/list/list-keyboard.ts'
import { ListPager } from '#web/documents/list/list-pager.tsx'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { SearchInput } from '#web/ui/form/search-input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import type { TabChange, TabQuery } from './tab-query.ts'
import { t } from './messages.ts'

/** A column of a list filled by a method. */
export interface PagedColumn<R> {
  readonly key: string
  readonly head: string
  readonly cell: (row: R) => ReactNode
  readonly right?: boolean
  /** Hidden on tablets. */
  readonly wide?: boolean
}

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
  columns: readonly PagedColumn<R>[]
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
          <Rows
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

interface RowsProps<R extends RowData> {
  label: string
  rows: readonly R[] | undefined
  expected: number
  rowKey: (row: R) => string
  columns: readonly PagedColumn<R>[]
  actions?: (row: R) => ReactNode
}

/** The rows as a table, or as cards on phones. */
function Rows<R extends RowData>(props: RowsProps<R>) {
  const { label, rows, expected, rowKey, columns, actions } = props
  const breakpoint = useBreakpoint()
  if (breakpoint === 'phone') return <Cards {...props} />
  const renderedColumns = columns.filter((column) => breakpoint === 'desktop' || !column.wide)
  const controls: DataColumn<R>[] = actions
    ? [
        {
          id: 'actions',
          accessorFn: rowKey,
          header: () => <span className="sr-only">{t('list.actions')}</span>,
          cell: ({ row }) => actions(row.original),
          meta: { control: true, right: true, width: 'w-11 pr-2' },
        },
      ]
    : []
  return (
    <DataTable
      label={label}
      rows={rows}
      expected={expected}
      rowKey={rowKey}
      columns={[
        ...renderedColumns.map((column, at): DataColumn<R> => ({
          id: column.key,
          accessorFn: rowKey,
          header: column.head,
          cell: ({ row }) => column.cell(row.original),
          meta: { right: column.right ?? false, names: at === 0 },
        })),
        ...controls,
      ]}
    />
  )
}

function Cards<R extends RowData>({ label, rows, expected, rowKey, columns, actions }: RowsProps<R>) {
  const [first, ...others] = columns
  if (!first) return null
  if (rows === undefined)
    return (
      <div className="grid gap-2" aria-hidden="true">
        {Array.from({ length: expected }, (_, index) => (
          <Skeleton key={index} className="h-36 w-full rounded-card" />
        ))}
      </div>
    )
  return (
    <ul aria-label={label} className="grid gap-2">
      {rows.map((row) => (
        <li
          key={rowKey(row)}
          data-name={rowKey(row)}
          className="rounded-card border border-border bg-surface p-3.5 text-table shadow-xs"
        >
          <div className="flex items-start gap-2">
            <div className="min-w-0 flex-1 font-medium wrap-anywhere">{first.cell(row)}</div>
            {actions ? <div className="-mt-1.5 -mr-1.5 flex-none">{actions(row)}</div> : null}
          </div>
          <dl className="mt-2 grid gap-1">
            {others.map((column) => (
              <div key={column.key} className="flex min-h-6 items-center gap-3">
                <dt className="flex-none text-muted">{column.head}</dt>
                <dd className="ml-auto min-w-0 text-right wrap-anywhere">{column.cell(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}
