import {
  flexRender,
  functionalUpdate,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type AccessorFnColumnDef,
  type Header,
  type Row as TableRow,
  type RowData,
} from '@tanstack/react-table'
import { useRef, useState, type ComponentProps } from 'react'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Cell, HeadCell, NameCell, Row, RowGap, Table } from '#web/ui/table.tsx'
import type { ListOrder } from './list-state.ts'
import { useRowWindow, windowedFrom } from './use-row-window.ts'

// Rows, heads and cells of the library keep their identity while what they answer changes: the compiler, which remembers by
// identity, has to leave the three components that ask them alone ('use no memo').

/** How a column looks. */
export interface ColumnLook {
  /** Numbers stand right. */
  readonly right?: boolean
  /** It names the row: the head of the row for screen readers, in sight while the table scrolls sideways. */
  readonly names?: boolean
  /** A control without words of its own: nothing stands in for it while rows load. */
  readonly control?: boolean
  /** Of its head and its cells. */
  readonly width?: string
}

const anyLook: ColumnLook = {}
/** What tables do: the server pages, sorts and filters, so nothing else of the library is needed. */
const features = tableFeatures({ rowSortingFeature, columnMeta: anyLook })
type Features = typeof features

/** What a table shows one of in each row. */
export type { RowData }

/** A column of `DataTable`. `enableSorting: false` where it has no order. */
export type DataColumn<R extends RowData> = AccessorFnColumnDef<Features, R> & { readonly id: string }

/** The order of a table that can be sorted. */
export interface TableSort {
  readonly order: ListOrder
  /** What the third press on a head goes back to. */
  readonly usual: ListOrder
  readonly onChange: (order: ListOrder) => void
}

/**
 * Rows as a native table, from tablets on: the head, the rows or what stands in for them while they load, and of many rows
 * only those near the screen.
 */
export function DataTable<R extends RowData>({
  label,
  columns,
  rows,
  expected,
  rowKey,
  isSelected,
  sort,
  stickyHead = false,
}: {
  label: string
  columns: readonly DataColumn<R>[]
  /** Undefined while the first page loads. */
  rows: readonly R[] | undefined
  /** Rows that stand in meanwhile. */
  expected: number
  rowKey: (row: R) => string
  isSelected?: (row: R) => boolean
  /** Absent: its order cannot be changed. */
  sort?: TableSort
  /** The head stays in sight while the page scrolls. */
  stickyHead?: boolean
}) {
  'use no memo'
  const body = useRef<HTMLTableSectionElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const [none] = useState<readonly R[]>([])
  const sorting = sort ? [{ id: sort.order.field, desc: sort.order.direction === 'desc' }] : []
  const table = useTable<Features, R>({
    features,
    columns,
    data: rows ?? none,
    getRowId: rowKey,
    enableSorting: sort !== undefined,
    manualSorting: true,
    enableMultiSort: false,
    sortDescFirst: false,
    // There is always an order: the column of the usual one only turns round.
    enableSortingRemoval: sort?.order.field !== sort?.usual.field,
    state: { sorting },
    onSortingChange: (change) => {
      const [next] = functionalUpdate(change, sorting)
      if (next) sort?.onChange({ field: next.id, direction: next.desc ? 'desc' : 'asc' })
      else sort?.onChange(sort.usual)
    },
  })
  const drawn = table.getRowModel().rows
  const pinned = drawn.length >= windowedFrom ? drawn.findIndex(({ id }) => id === focused) : -1
  const window = useRowWindow(body, drawn.length, pinned)
  const line = (row: TableRow<Features, R>, place?: RowPlace) => (
    <BodyRow key={row.id} row={row} selected={isSelected?.(row.original) ?? false} place={place} />
  )
  return (
    <Table
      label={label}
      stickyHead={stickyHead}
      busy={rows === undefined}
      rowCount={window ? drawn.length + 1 : undefined}
    >
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => (
              <ColumnHead key={header.id} header={header} />
            ))}
          </tr>
        ))}
      </thead>
      <tbody
        ref={body}
        onFocus={(event) => {
          // Only where rows come and go must the one with the focus be known.
          if (window) setFocused(event.target.closest<HTMLElement>('[data-name]')?.dataset['name'] ?? null)
        }}
      >
        {rows === undefined
          ? Array.from({ length: expected }, (_, index) => <SkeletonRow key={index} columns={columns} />)
          : window === null
            ? drawn.map((row) => line(row))
            : window.parts.map((part) => {
                if ('gap' in part) return <RowGap key={part.key} height={part.gap} columns={columns.length} />
                const row = drawn[part.row]
                // The head is the first row; the virtualizer counts from 0.
                const place = { 'aria-rowindex': part.row + 2, 'data-index': part.row, ref: window.measure }
                return row && line(row, place)
              })}
      </tbody>
    </Table>
  )
}

const lookOf = ({ meta = anyLook }: { readonly meta?: ColumnLook }): ColumnLook => meta

function ColumnHead<R extends RowData>({ header }: { header: Header<Features, R, unknown> }) {
  'use no memo'
  const { column } = header
  const { right = false, names = false, width } = lookOf(column.columnDef)
  const sorted = column.getIsSorted()
  return (
    <HeadCell
      right={right}
      sticky={names}
      {...(width !== undefined && { className: width })}
      {...(column.getCanSort() && {
        sort: sorted === false ? 'none' : sorted === 'asc' ? 'ascending' : 'descending',
        onSort: () => column.toggleSorting(),
      })}
    >
      {flexRender(column.columnDef.header, header.getContext())}
    </HeadCell>
  )
}

function SkeletonRow<R extends RowData>({ columns }: { columns: readonly DataColumn<R>[] }) {
  return (
    <Row aria-hidden="true">
      {columns.map((column) => {
        const { right = false, names = false, control = false } = lookOf(column)
        return (
          <Cell key={column.id} right={right}>
            {control ? null : <Skeleton className={`h-3 ${names ? 'w-36' : 'w-16'} ${right ? 'ml-auto' : ''}`} />}
          </Cell>
        )
      })}
    </Row>
  )
}

/** Where a row is among all, when not all are drawn. */
type RowPlace = Pick<ComponentProps<'tr'>, 'aria-rowindex' | 'ref'>

function BodyRow<R extends RowData>({
  row,
  selected,
  place,
}: {
  row: TableRow<Features, R>
  selected: boolean
  place: RowPlace | undefined
}) {
  'use no memo'
  return (
    <Row data-name={row.id} {...place} selected={selected}>
      {row.getAllCells().map((cell) => {
        const { right = false, names = false, width } = lookOf(cell.column.columnDef)
        const content = flexRender(cell.column.columnDef.cell, cell.getContext())
        return names ? (
          <NameCell key={cell.id}>{content}</NameCell>
        ) : (
          <Cell key={cell.id} right={right} {...(width !== undefined && { className: width })}>
            {content}
          </Cell>
        )
      })}
    </Row>
  )
}
