import {
  functionalUpdate,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type AccessorFnColumnDef,
  type Header,
  type Row as TableRow,
  type RowData,
} from '@tanstack/react-table'
import { Fragment, memo, useRef, useState, type ReactNode, type Ref } from 'react'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Cell, GroupRow, HeadCell, NameCell, Row, RowGap, Table } from '#web/ui/table.tsx'
import { beginsGroup, type RowGroup } from './list-groups.ts'
import type { ListOrder } from '../query/list-state.ts'
import { useFittingColumns } from './use-fitting-columns.ts'
import { useRowWindow } from './use-row-window.ts'

// TanStack's row, header and cell objects keep their identity while their values change. React Compiler memoizes by
// identity, so the three components that read them opt out ('use no memo').

/** Presentation of a column. */
export interface ColumnStyle {
  /** Right-aligned, for numbers. */
  readonly right?: boolean
  /** The column that names the row: a row header for screen readers, sticky during horizontal scrolling. */
  readonly names?: boolean
  /** A control without text: no skeleton while rows load. */
  readonly control?: boolean
  /** Width class of header and cells. */
  readonly width?: string
  /** Columns with the highest number leave first if there is no room for all; those without one always stay. */
  readonly leaves?: number | undefined
}

const defaultStyle: ColumnStyle = {}
/** Table features in use. The server pages, sorts and filters. */
const features = tableFeatures({ rowSortingFeature, columnMeta: defaultStyle })
type Features = typeof features

/** Type of a table's row. */
export type { RowData }

/** A column of `DataTable`. Set `enableSorting: false` if it can't be sorted. */
export type DataColumn<R extends RowData> = AccessorFnColumnDef<Features, R> & { readonly id: string }

/** Sort state of a table. */
export interface TableSort {
  readonly order: ListOrder
  /** Default order, restored by the third click on a header. */
  readonly usual: ListOrder
  readonly onChange: (order: ListOrder) => void
}

/** Rows as a native table, on tablets and wider: header, rows or skeletons while loading. Large lists are virtualized. */
export function DataTable<R extends RowData>({
  label,
  columns: allColumns,
  rows,
  expected,
  rowKey,
  isSelected,
  groupOf,
  sort,
  stickyHead = false,
}: {
  label: string
  columns: readonly DataColumn<R>[]
  /** Undefined during the initial load. */
  rows: readonly R[] | undefined
  /** Number of skeleton rows. */
  expected: number
  rowKey: (row: R) => string
  isSelected?: (row: R) => boolean
  /** The group of a row, whose rows stand together; grouped rows are all rendered. */
  groupOf?: ((row: R) => RowGroup) | null
  /** If absent, the table can't be sorted. */
  sort?: TableSort
  /** Keeps the header visible while the page scrolls. */
  stickyHead?: boolean
}) {
  'use no memo'
  const box = useRef<HTMLDivElement>(null)
  const columns = useFittingColumns(box, allColumns, rows)
  const body = useRef<HTMLTableSectionElement>(null)
  // Not a state: nothing is drawn when the focus moves within what is there.
  const focused = useRef<string | null>(null)
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
    // There is always an order: clicks on the default column only reverse it.
    enableSortingRemoval: sort?.order.field !== sort?.usual.field,
    state: { sorting },
    onSortingChange: (change) => {
      const [next] = functionalUpdate(change, sorting)
      if (next) sort?.onChange({ field: next.id, direction: next.desc ? 'desc' : 'asc' })
      else sort?.onChange(sort.usual)
    },
  })
  const renderedRows = table.getRowModel().rows
  // Headings between the rows have no place in a table of which only a part is rendered.
  const windowed = groupOf ? 0 : renderedRows.length
  const window = useRowWindow(body, windowed, () => renderedRows.findIndex(({ id }) => id === focused.current))
  const line = (row: TableRow<Features, R>, at?: number) => (
    <BodyRow
      key={row.id}
      row={row}
      columns={columns}
      selected={isSelected?.(row.original) ?? false}
      at={at}
      measure={window?.measure}
    />
  )
  return (
    <Table
      box={box}
      label={label}
      stickyHead={stickyHead}
      busy={rows === undefined}
      rowCount={window ? renderedRows.length + 1 : undefined}
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
          focused.current = event.target.closest<HTMLElement>('[data-name]')?.dataset['name'] ?? null
        }}
      >
        {rows === undefined
          ? Array.from({ length: expected }, (_, index) => <SkeletonRow key={index} columns={columns} />)
          : window === null
            ? renderedRows.map((row, at) => {
                const group = groupOf ? beginsGroup(groupOf, rows, at) : null
                return group ? (
                  <Fragment key={row.id}>
                    <GroupRow label={group.label} columns={columns.length} />
                    {line(row)}
                  </Fragment>
                ) : (
                  line(row)
                )
              })
            : window.parts.map((part) => {
                if ('gap' in part) return <RowGap key={part.key} height={part.gap} columns={columns.length} />
                const row = renderedRows[part.row]
                return row && line(row, part.row)
              })}
      </tbody>
    </Table>
  )
}

const styleOf = ({ meta = defaultStyle }: { readonly meta?: ColumnStyle }): ColumnStyle => meta

/**
 * Content of a header or cell. Not `flexRender`: that renders a function as a component, and columns that are made
 * anew (after a selection, say) would be components of a new type, which unmounts the cell and loses the focus in it.
 */
function contentOf<C>(template: string | ((context: C) => unknown) | undefined, context: C): ReactNode {
  return (typeof template === 'function' ? template(context) : template) as ReactNode
}

function ColumnHead<R extends RowData>({ header }: { header: Header<Features, R, unknown> }) {
  'use no memo'
  const { column } = header
  const { right = false, names = false, width } = styleOf(column.columnDef)
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
      {contentOf(column.columnDef.header, header.getContext())}
    </HeadCell>
  )
}

function SkeletonRow<R extends RowData>({ columns }: { columns: readonly DataColumn<R>[] }) {
  return (
    <Row aria-hidden="true">
      {columns.map((column) => {
        const { right = false, names = false, control = false } = styleOf(column)
        return (
          <Cell key={column.id} right={right}>
            {control ? null : <Skeleton className={`h-3 ${names ? 'w-36' : 'w-16'} ${right ? 'ml-auto' : ''}`} />}
          </Cell>
        )
      })}
    </Row>
  )
}

interface BodyRowProps<R extends RowData> {
  row: TableRow<Features, R>
  /** Those that `row` has cells of. */
  columns: readonly DataColumn<R>[]
  selected: boolean
  /** Its number among all rows, if not all are rendered. */
  at: number | undefined
  measure: Ref<HTMLTableRowElement> | undefined
}

/** A row of the body. It is drawn again if its document, its columns or its place changed, not with each of the others. */
const BodyRow = memo(function BodyRow<R extends RowData>({ row, selected, at, measure }: BodyRowProps<R>) {
  'use no memo'
  return (
    <Row
      data-name={row.id}
      // The header is the first row; the virtualizer counts from 0.
      {...(at !== undefined && { 'aria-rowindex': at + 2, 'data-index': at, ref: measure })}
      selected={selected}
    >
      {row.getAllCells().map((cell) => {
        const { right = false, names = false, width } = styleOf(cell.column.columnDef)
        const content = contentOf(cell.column.columnDef.cell, cell.getContext())
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
}) as <R extends RowData>(props: BodyRowProps<R>) => ReactNode
