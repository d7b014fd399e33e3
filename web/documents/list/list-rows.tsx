import { useRef, useState, type HTMLAttributes, type ReactNode, type RefCallback } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import type { Doctype } from '#shared/doctype.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Cell, HeadCell, NameCell, Row, RowGap, Table } from '#web/ui/table.tsx'
import { described } from '#web/lib/i18n/catalogue.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { rowTitle } from '../bulk/bulk-choices.ts'
import { FieldValue, type ListRow } from './cells.tsx'
import { FavoriteButton } from './favorite.tsx'
import { columnLabel, type ListColumn } from './list-columns.ts'
import { lt } from './list-messages.ts'
import { nextOrder, type ListDefaults, type ListState } from './list-state.ts'
import { t } from '../messages.ts'
import { RowMenu, type RowMenuContent } from '../actions/row-menu.tsx'
import { PageTick, RowTick } from '../bulk/row-ticks.tsx'
import { useRowWindow, windowParts } from './use-row-window.ts'
import type { Selection } from '../bulk/use-selection.ts'

/** What table and cards both draw. */
export interface RowsProps {
  type: Doctype
  /** Columns drawn at the present width. */
  columns: readonly ListColumn[]
  /** Whether rows show if they are favorites. */
  favorites: boolean
  /** Undefined while the first page loads. */
  rows: readonly ListRow[] | undefined
  /** Rows of the skeleton. */
  expected: number
  /** Path of a row's page; null where this person has none. */
  href: (row: ListRow) => string | null
  /** Menu of a row; null: rows have none. */
  menu: RowMenuContent | null
  /** Null: rows cannot be selected. */
  selection: Selection | null
  state: ListState
  defaults: ListDefaults
  /** `quiet` leaves no entry in the browser's history. */
  onChange: (change: Partial<ListState>, quiet?: boolean) => void
}

/** What a column shows of a row. */
export function content(type: Doctype, column: ListColumn, row: ListRow) {
  return column.render ? column.render(row) : <FieldValue type={type} field={column.field} row={row} />
}

/** From here on a name may be cut off, and is said in full under the pointer. */
const longName = 32

/** The name of a row is its link; keyboard walking focuses it. */
export function RowLink({
  type,
  row,
  href,
  column,
  wide,
  ...given
}: {
  type: Doctype
  row: ListRow
  href: string | null
  /** The first column. */
  column: ListColumn | undefined
  wide?: boolean
  /** The rest is given by what stands around it. */
  ref?: RefCallback<HTMLElement>
} & Omit<HTMLAttributes<HTMLElement>, 'title' | 'className' | 'children'>) {
  const title = column?.title ? column.title(row) : rowTitle(type, row)
  // A name of any length leaves the other columns, and the other cards, their room.
  const clip = wide ? 'line-clamp-3 wrap-anywhere' : 'inline-block max-w-72 truncate align-bottom'
  const whole = typeof title === 'string' && title.length > longName && (wide || !column?.around) ? title : undefined
  if (href === null) {
    return (
      <span {...given} data-row-link tabIndex={-1} title={whole} className={cx('rounded-xs font-medium', clip)}>
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
        wide ? 'font-medium after:absolute after:inset-0 after:rounded-card' : cx('rounded-xs hover:underline', clip)
      }
    >
      {wide ? <span className={clip}>{title}</span> : title}
    </Link>
  )
}

/** A name with what stands under it, beside its picture where there is one. */
export function Named({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  if (!icon) return children
  return (
    <span className="flex items-center gap-3">
      {icon}
      <span className="block min-w-0">{children}</span>
    </span>
  )
}

/** The list as a native table, from tablets on. Of many rows only those near the screen are drawn. */
export function ListTable(props: RowsProps) {
  const { type, columns, favorites, rows, selection, menu, expected } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const window = useRowWindow(body, rows?.length ?? 0)
  const cells = columns.length + Number(favorites) + Number(selection !== null) + Number(menu !== null)
  const pinned = window && focused !== null ? (rows?.findIndex((row) => row.name === focused) ?? -1) : -1
  return (
    <Table
      label={described(type.plural ?? type.name)}
      stickyHead
      busy={rows === undefined}
      rowCount={window ? (rows?.length ?? 0) + 1 : undefined}
    >
      <ListHead {...props} />
      <tbody
        ref={body}
        onFocus={(event) => {
          // Only where rows come and go must the one with the focus be known.
          if (window) setFocused(event.target.closest<HTMLElement>('[data-name]')?.dataset['name'] ?? null)
        }}
      >
        {rows === undefined
          ? Array.from({ length: expected }, (_, index) => <SkeletonRow key={index} {...props} />)
          : window === null
            ? rows.map((row) => <BodyRow key={row.name} row={row} {...props} />)
            : windowParts(window, rows.length, pinned).map((part) => {
                if ('gap' in part)
                  return <RowGap key={`gap ${part.at}`} height={part.gap * window.height} columns={cells} />
                const row = rows[part.row]
                return row && <BodyRow key={row.name} row={row} index={part.row + 2} {...props} />
              })}
      </tbody>
    </Table>
  )
}

function ListHead({ type, columns, favorites, rows, menu, selection, state, defaults, onChange }: RowsProps) {
  return (
    <thead>
      <tr>
        {selection ? (
          <HeadCell className="w-11 pr-0">
            <PageTick rows={rows ?? []} selection={selection} />
          </HeadCell>
        ) : null}
        {favorites ? (
          <HeadCell className="w-9 px-0">
            <span className="sr-only">{lt('star.column')}</span>
          </HeadCell>
        ) : null}
        {columns.map((column, at) => (
          <HeadCell
            key={column.field}
            right={column.right ?? false}
            sticky={at === 0}
            {...(!column.unsortable && {
              sort:
                state.order.field === column.field
                  ? state.order.direction === 'asc'
                    ? ('ascending' as const)
                    : ('descending' as const)
                  : ('none' as const),
              onSort: () => onChange({ order: nextOrder(state.order, column.field, defaults.order) }),
            })}
          >
            {columnLabel(type, column)}
          </HeadCell>
        ))}
        {menu ? (
          <HeadCell className="w-11">
            <span className="sr-only">{t('action.more')}</span>
          </HeadCell>
        ) : null}
      </tr>
    </thead>
  )
}

function SkeletonRow({ columns, favorites, menu, selection }: RowsProps) {
  return (
    <Row aria-hidden="true">
      {selection ? <Cell /> : null}
      {favorites ? <Cell /> : null}
      {columns.map((column, at) => (
        <Cell key={column.field} right={column.right ?? false}>
          <Skeleton className={`h-3 ${at === 0 ? 'w-36' : 'w-16'} ${column.right ? 'ml-auto' : ''}`} />
        </Cell>
      ))}
      {menu ? <Cell /> : null}
    </Row>
  )
}

function BodyRow({
  type,
  columns,
  favorites,
  row,
  index,
  href,
  menu,
  selection,
}: RowsProps & { row: ListRow; index?: number }) {
  const [first, ...others] = columns
  const selected = selection?.has(row.name) ?? false
  const link = <RowLink type={type} row={row} href={href(row)} column={first} />
  return (
    <Row data-name={row.name} aria-rowindex={index} selected={selected}>
      {selection ? (
        <Cell className="w-11 pr-0">
          <RowTick type={type} row={row} selection={selection} />
        </Cell>
      ) : null}
      {favorites ? (
        <Cell className="w-9 px-0">
          <FavoriteButton type={type} name={row.name} title={rowTitle(type, row)} value={row['favorite']} />
        </Cell>
      ) : null}
      <NameCell>
        <Named icon={first?.icon?.(row)}>
          {first?.around ? first.around(row, link) : link}
          <span className="ml-1.5 empty:hidden">{first?.badge?.(row)}</span>
          {first?.render ? (
            <span className="block text-meta font-normal text-muted empty:hidden">{first.render(row)}</span>
          ) : null}
        </Named>
      </NameCell>
      {others.map((column) => (
        <Cell key={column.field} right={column.right ?? false}>
          {content(type, column, row)}
        </Cell>
      ))}
      {menu ? (
        <Cell right className="w-11 pr-2">
          <RowMenu type={type} row={row} content={menu} />
        </Cell>
      ) : null}
    </Row>
  )
}
