import { createContext, use, useMemo, type HTMLAttributes, type ReactNode, type RefCallback } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import type { Doctype } from '#shared/doctype.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { rowTitle, titlesAmong } from '../bulk/bulk-choices.ts'
import { FieldValue, type ListRow } from '../values/cells.tsx'
import { DataTable, type DataColumn } from './data-table.tsx'
import { FavoriteButton } from '../values/favorite.tsx'
import type { RowGroup } from './list-groups.ts'
import { columnLabel, type ListColumn } from './list-columns.ts'
import { t as actionText } from '../actions/messages.ts'
import { t as valueText } from '../values/messages.ts'
import type { ListDefaults, ListState } from '../query/list-state.ts'
import { RowMenu, type RowMenuContent } from '../actions/row-menu.tsx'
import { SelectPageCheckbox, SelectRowCheckbox } from '../bulk/row-checkboxes.tsx'
import type { Selection } from '../bulk/use-selection.ts'

/** Props of tables and cards. */
export interface RowsProps<R extends ListRow> {
  type: Doctype
  /** Columns shown at the current breakpoint. */
  columns: readonly ListColumn<R, string>[]
  /** Whether rows have a favorite star. */
  favorites: boolean
  /** Undefined during the initial load. */
  rows: readonly R[] | undefined
  /** Number of skeleton rows. */
  expected: number
  /** Path of a row's page; null if this user has none. */
  href: (row: R) => string | null
  /** Menu of a row; null if rows have none. */
  menu: RowMenuContent<R> | null
  /** Null if rows can't be selected. */
  selection: Selection<R> | null
  /** The group of a row; null or absent if rows are not grouped. */
  groupOf?: ((row: R) => RowGroup) | null
  state: ListState
  defaults: ListDefaults
  /** `quiet` adds no entry to the browser history. */
  onChange: (change: Partial<ListState>, quiet?: boolean) => void
}

/** Content of a cell. */
export function content<R extends ListRow>(type: Doctype, column: ListColumn<R, string>, row: R) {
  return column.render ? column.render(row) : <FieldValue type={type} field={column.field} row={row} />
}

/** Names at least this long may be truncated and get a tooltip. */
const longName = 32

/** The row's name as a link; keyboard navigation focuses it. */
export function RowLink<R extends ListRow>({
  type,
  row,
  href,
  column,
  wide,
  ...given
}: {
  type: Doctype
  row: R
  href: string | null
  /** The first column. */
  column: ListColumn<R, string> | undefined
  wide?: boolean
  /** Set by wrappers such as tooltips. */
  ref?: RefCallback<HTMLElement>
} & Omit<HTMLAttributes<HTMLElement>, 'title' | 'className' | 'children'>) {
  const title = column?.title ? column.title(row) : rowTitle(type, row)
  // Truncates long names, to leave space for the other columns and cards.
  const clip = wide ? 'line-clamp-3 wrap-anywhere' : 'truncate'
  const whole = typeof title === 'string' && title.length > longName && (wide || !column?.around) ? title : undefined
  if (href === null) {
    return (
      <span
        {...given}
        data-row-link
        tabIndex={-1}
        title={whole}
        className={cx('block min-w-0 rounded-xs font-medium', clip)}
      >
        {title}
      </span>
    )
  }
  return (
    <Link
      {...given}
      data-row-link
      to={href}
      title={whole}
      className={
        wide
          ? 'font-medium after:absolute after:inset-0 after:rounded-card'
          : cx('block min-w-0 rounded-xs hover:underline', clip)
      }
    >
      {wide ? <span className={clip}>{title}</span> : title}
    </Link>
  )
}

/** A name with its secondary line, next to its icon if there is one. */
export function CellWithIcon({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  if (!icon) return children
  return (
    <span className="flex items-center gap-3">
      {icon}
      <span className="block min-w-0">{children}</span>
    </span>
  )
}

/** The selection of a table and its rows: from a context, so that the cells beside a checkbox stay as they are. */
const Selecting = createContext<Pick<RowsProps<ListRow>, 'rows' | 'selection'>>({ rows: undefined, selection: null })

function PageTick() {
  const { rows = [], selection } = use(Selecting)
  return selection && <SelectPageCheckbox rows={rows} selection={selection} />
}

function RowTick({ row, title }: { row: ListRow; title: string }) {
  const { selection } = use(Selecting)
  return selection && <SelectRowCheckbox row={row} title={title} selection={selection} />
}

/** Table columns of a list: checkbox, star, name, the others, menu. */
function tableColumns<R extends ListRow>(
  { type, columns, favorites, menu, href }: Pick<RowsProps<R>, 'type' | 'columns' | 'favorites' | 'menu' | 'href'>,
  titleOf: (row: R) => string,
  isSelectable: boolean,
): DataColumn<R>[] {
  const control = (id: string, column: Omit<DataColumn<R>, 'id' | 'accessorFn'>): DataColumn<R> => ({
    id,
    accessorFn: rowName,
    enableSorting: false,
    ...column,
  })
  return [
    ...(isSelectable
      ? [
          control('tick', {
            header: () => <PageTick />,
            cell: ({ row: { original: row } }) => <RowTick row={row} title={titleOf(row)} />,
            meta: { control: true, width: 'w-11 pr-0' },
          }),
        ]
      : []),
    ...(favorites
      ? [
          control('star', {
            header: () => <span className="sr-only">{valueText('star.column')}</span>,
            cell: ({ row: { original: row } }) => (
              <FavoriteButton type={type} name={row.name} title={titleOf(row)} value={row['favorite']} />
            ),
            meta: { control: true, width: 'w-9 px-0' },
          }),
        ]
      : []),
    ...columns.map((column, at): DataColumn<R> => ({
      id: column.field,
      accessorFn: (row) => row[column.field],
      header: columnLabel(type, column),
      cell: ({ row: { original: row } }) =>
        at === 0 ? (
          <NameContent type={type} href={href} column={column} row={row} />
        ) : (
          clipped(content(type, column, row))
        ),
      enableSorting: !column.unsortable,
      meta: { right: column.right ?? false, names: at === 0, leaves: leaveRank(column, at) },
    })),
    ...(menu?.button
      ? [
          control('next', {
            header: () => <span className="sr-only">{actionText('action.next')}</span>,
            cell: ({ row }) => <span className="inline-flex items-center gap-1">{menu.button?.(row.original)}</span>,
            meta: { control: true, right: true, width: 'w-px whitespace-nowrap pr-0' },
          }),
        ]
      : []),
    ...(menu
      ? [
          control('menu', {
            header: () => <span className="sr-only">{actionText('action.more')}</span>,
            cell: ({ row: { original: row } }) => <RowMenu type={type} row={row} title={titleOf(row)} content={menu} />,
            meta: { control: true, right: true, width: 'w-11 pr-2' },
          }),
        ]
      : []),
  ]
}

const rowName = (row: ListRow): string => row.name

/**
 * When a column leaves a table without room for all: what only wide screens show first, from the right; what the user turned on last;
 * name and status never.
 */
function leaveRank({ field, off, from, stays }: ListColumn<never, string>, at: number): number | undefined {
  if (at === 0 || field === 'status' || stays) return undefined
  return at + (off ? 0 : from === 'desktop' ? 200 : 100)
}

/** Words at least this long may be truncated, to leave space for the other columns. */
const longText = 24

function clipped(cell: ReactNode): ReactNode {
  if (typeof cell !== 'string' || cell.length < longText) return cell
  return (
    <span title={cell} className="block max-w-52 truncate">
      {cell}
    </span>
  )
}

/** Content of the first column: icon, name with its wrapper and badge, and the secondary line. */
function NameContent<R extends ListRow>({
  type,
  column,
  row,
  href,
}: Pick<RowsProps<R>, 'type' | 'href'> & { column: ListColumn<R, string>; row: R }) {
  const link = <RowLink type={type} row={row} href={href(row)} column={column} />
  return (
    // As wide as its text up to a limit, and narrower where the other columns need the space (see `useFittingColumns`).
    <span className="grid max-w-96 min-w-44 grid-cols-[minmax(0,auto)]">
      <CellWithIcon icon={column.icon?.(row)}>
        <span className="flex min-w-0 items-center gap-1.5">
          {column.around ? column.around(row, link) : link}
          <span className="flex-none empty:hidden">{column.badge?.(row)}</span>
        </span>
        {column.render ? (
          <span className="block text-meta font-normal text-muted empty:hidden">{column.render(row)}</span>
        ) : null}
      </CellWithIcon>
    </span>
  )
}

/** The list as a table, on tablets and wider. */
export function ListTable<R extends ListRow>({
  type,
  columns,
  favorites,
  rows,
  expected,
  href,
  menu,
  selection,
  groupOf = null,
  state,
  defaults,
  onChange,
}: RowsProps<R>) {
  const isSelectable = selection !== null
  // By themselves: they stay the same when rows are selected, and the rows with them.
  const shown = useMemo(
    () => tableColumns({ type, columns, favorites, menu, href }, titlesAmong(type, rows ?? []), isSelectable),
    [type, columns, favorites, menu, href, rows, isSelectable],
  )
  return (
    // A row of another type never gets here: the table has those of the selection.
    <Selecting value={{ rows, selection: selection as Selection<ListRow> | null }}>
      <DataTable
        label={translateText(type.plural ?? type.name)}
        stickyHead
        columns={shown}
        rows={rows}
        expected={expected}
        rowKey={rowName}
        groupOf={groupOf}
        isSelected={(row) => selection?.has(row.name) ?? false}
        sort={{ order: state.order, usual: defaults.order, onChange: (order) => onChange({ order }) }}
      />
    </Selecting>
  )
}
