import type { ReactNode } from 'react'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t as actionText } from '../actions/messages.ts'
import { DataTable, type DataColumn, type RowData } from './data-table.tsx'

/** A column of rows that are no list of documents of their own. */
export interface RowColumn<R> {
  readonly key: string
  readonly head: string
  readonly cell: (row: R) => ReactNode
  readonly right?: boolean
  /** Hidden on tablets. */
  readonly wide?: boolean
}

interface RowsProps<R extends RowData> {
  label: string
  /** Undefined during the initial load. */
  rows: readonly R[] | undefined
  /** Number of skeleton rows. */
  expected: number
  rowKey: (row: R) => string
  columns: readonly RowColumn<R>[]
  actions?: (row: R) => ReactNode
}

/** The rows as a table, or as cards on phones. The first column names the row; `actions` come last. */
export function ColumnRows<R extends RowData>(props: RowsProps<R>) {
  const { label, rows, expected, rowKey, columns, actions } = props
  const breakpoint = useBreakpoint()
  if (breakpoint === 'phone') return <Cards {...props} />
  const renderedColumns = columns.filter((column) => breakpoint === 'desktop' || !column.wide)
  const controls: DataColumn<R>[] = actions
    ? [
        {
          id: 'actions',
          accessorFn: rowKey,
          header: () => <span className="sr-only">{actionText('action.more')}</span>,
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
          meta: {
            right: column.right ?? false,
            names: at === 0,
            leaves: at === 0 ? undefined : at + (column.wide ? 100 : 0),
          },
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
