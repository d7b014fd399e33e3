import { Link } from 'react-router'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Cell, HeadCell, NameCell, Row, Table } from '#web/ui/table.tsx'
import { ActionMenu } from './action-menu.tsx'
import { FieldValue, type ListRow } from './cells.tsx'
import { columnLabel, type ListColumn } from './list-columns.ts'
import { nextOrder, type ListDefaults, type ListState } from './list-state.ts'
import { t } from './messages.ts'

/** What table and cards both draw. */
export interface RowsProps {
  type: Doctype
  /** Columns drawn at the present width. */
  columns: readonly ListColumn[]
  /** Undefined while the first page loads. */
  rows: readonly ListRow[] | undefined
  /** Rows of the skeleton. */
  expected: number
  /** Path of a row's page; null where this person has none. */
  href: (row: ListRow) => string | null
  /** Whether rows have a menu of actions. */
  menu: boolean
  state: ListState
  defaults: ListDefaults
  onChange: (change: Partial<ListState>) => void
}

/** A row as the gates of its actions take it. */
function rowDoc(type: Doctype, row: ListRow): AnyDoc {
  return { owner: '', creation: '', modified: '', modified_by: '', docstatus: 0, idx: 0, ...row, doctype: type.name }
}

function rowTitle(type: Doctype, row: ListRow): string {
  const title = type.title_field ? row[type.title_field] : null
  return typeof title === 'string' && title !== '' ? title : row.name
}

function content(type: Doctype, column: ListColumn, row: ListRow) {
  return column.render ? column.render(row) : <FieldValue type={type} field={column.field} row={row} />
}

/** The name of a row is its link; keyboard walking focuses it. */
function RowLink({ type, row, href, wide }: { type: Doctype; row: ListRow; href: string | null; wide?: boolean }) {
  if (href === null) return <span className="font-medium wrap-anywhere">{rowTitle(type, row)}</span>
  return (
    <Link
      data-row-link
      to={href}
      className={wide ? 'font-medium after:absolute after:inset-0 after:rounded-card' : 'rounded-xs hover:underline'}
    >
      <span className="[overflow-wrap:anywhere]">{rowTitle(type, row)}</span>
    </Link>
  )
}

/** The list as a native table, from tablets on. */
export function ListTable({ type, columns, rows, expected, href, menu, state, defaults, onChange }: RowsProps) {
  const [first, ...others] = columns
  if (!first) return null
  const head = (column: ListColumn, sticky: boolean) => (
    <HeadCell
      key={column.field}
      right={column.right ?? false}
      sticky={sticky}
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
  )
  return (
    <Table label={type.plural ?? type.name} busy={rows === undefined}>
      <thead>
        <tr>
          {head(first, true)}
          {others.map((column) => head(column, false))}
          {menu ? (
            <HeadCell className="w-11">
              <span className="sr-only">{t('action.more')}</span>
            </HeadCell>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {rows === undefined
          ? Array.from({ length: expected }, (_, index) => (
              <Row key={index} aria-hidden="true">
                {columns.map((column, at) => (
                  <Cell key={column.field} right={column.right ?? false}>
                    <Skeleton className={`h-3 ${at === 0 ? 'w-36' : 'w-16'} ${column.right ? 'ml-auto' : ''}`} />
                  </Cell>
                ))}
                {menu ? <Cell /> : null}
              </Row>
            ))
          : rows.map((row) => (
              <Row key={row.name}>
                <NameCell>
                  <RowLink type={type} row={row} href={href(row)} />
                  {first.render ? (
                    <span className="block text-meta font-normal text-muted empty:hidden">{first.render(row)}</span>
                  ) : null}
                </NameCell>
                {others.map((column) => (
                  <Cell key={column.field} right={column.right ?? false}>
                    {content(type, column, row)}
                  </Cell>
                ))}
                {menu ? (
                  <Cell right className="w-11 pr-2">
                    <ActionMenu
                      small
                      type={type}
                      doc={rowDoc(type, row)}
                      label={t('list.row_menu', { title: rowTitle(type, row) })}
                    />
                  </Cell>
                ) : null}
              </Row>
            ))}
      </tbody>
    </Table>
  )
}

/** The list as cards, on phones: name and status first, then the facts marked for cards. */
export function ListCards({ type, columns, rows, expected, href, menu }: RowsProps) {
  const first = columns[0]
  const status = columns.find((column) => column.field === 'status')
  const facts = columns.filter((column) => column !== first && column !== status && column.card)
  const box = 'relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 px-3 pt-2.5 pb-3'
  return (
    <ul
      aria-label={type.plural ?? type.name}
      aria-busy={rows === undefined}
      className="divide-y divide-hairline rounded-card border border-border bg-surface shadow-xs"
    >
      {rows === undefined
        ? Array.from({ length: expected }, (_, index) => (
            <li key={index} aria-hidden="true" className={box}>
              <Skeleton className="h-4 w-36" />
              <Skeleton className="h-4 w-16" />
              <Skeleton className="col-span-2 h-3 w-48" />
            </li>
          ))
        : rows.map((row) => (
            <li key={row.name} className={box}>
              <span className="min-w-0">
                <RowLink wide type={type} row={row} href={href(row)} />
                {first?.render ? (
                  <span className="block text-meta text-muted empty:hidden">{first.render(row)}</span>
                ) : null}
              </span>
              {/* Above the card's own link, so that status links and the menu can be pressed. */}
              <span className="relative z-1">{status ? content(type, status, row) : null}</span>
              <span className="flex flex-wrap items-center gap-x-4 gap-y-1 text-table text-muted">
                {facts.map((column) => (
                  <span key={column.field} className="inline-flex items-center gap-1.5">
                    <span>{columnLabel(type, column)}</span>
                    <span className="text-fg">{content(type, column, row)}</span>
                  </span>
                ))}
              </span>
              {menu ? (
                <span className="relative z-1 justify-self-end">
                  <ActionMenu
                    small
                    type={type}
                    doc={rowDoc(type, row)}
                    label={t('list.row_menu', { title: rowTitle(type, row) })}
                  />
                </span>
              ) : null}
            </li>
          ))}
    </ul>
  )
}
