import { Fragment } from 'react'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { titlesAmong } from '../bulk/bulk-choices.ts'
import type { ListRow } from '../values/cells.tsx'
import { FavoriteButton } from '../values/favorite.tsx'
import { columnLabel } from './list-columns.ts'
import { beginsGroup } from './list-groups.ts'
import { content, CellWithIcon, RowLink, type RowsProps } from './list-rows.tsx'
import { RowMenu } from '../actions/row-menu.tsx'
import { SelectRowCheckbox } from '../bulk/row-checkboxes.tsx'

// The words of a long status wrap rather than squeeze the name.
const box = 'relative grid grid-cols-[minmax(0,1fr)_fit-content(40%)] items-center gap-x-3 gap-y-2 px-3 pt-2.5 pb-3'

/** The list as cards, on phones: name and status first, then the fields marked for cards. */
export function ListCards<R extends ListRow>({
  type,
  columns,
  favorites,
  rows,
  expected,
  href,
  menu,
  selection,
  groupOf,
}: RowsProps<R>) {
  const first = columns[0]
  const titleOf = titlesAmong(type, rows ?? [])
  const status = columns.find((column) => column.field === 'status')
  const cardColumns = columns.filter((column) => column !== first && column !== status && column.card)
  const card = (row: R) => {
    const selected = selection?.has(row.name) ?? false
    return (
      <li
        key={row.name}
        data-name={row.name}
        // Skips layout of cards far from the screen.
        className={cx(box, '[contain-intrinsic-size:auto_96px] [content-visibility:auto]', selected && 'bg-brand-bg')}
      >
        <span className="flex min-w-0 items-center gap-1">
          {selection ? (
            // Extends the touch target into the padding.
            <span className="relative z-1 -my-3 -ml-3">
              <SelectRowCheckbox row={row} title={titleOf(row)} selection={selection} />
            </span>
          ) : null}
          <span className="min-w-0">
            <CellWithIcon icon={first?.icon?.(row)}>
              <span className="flex flex-wrap items-center gap-x-1.5">
                <RowLink wide type={type} row={row} href={href(row)} column={first} />
                {first?.badge?.(row)}
              </span>
              {first?.render ? (
                <span className="block text-meta text-muted empty:hidden">{first.render(row)}</span>
              ) : null}
            </CellWithIcon>
          </span>
        </span>
        {/* Above the card's own link, so that status links and the menu receive clicks. */}
        <span className="relative z-1 justify-self-end [&_[data-tone]]:h-auto [&_[data-tone]]:min-h-6 [&_[data-tone]]:rounded-xl [&_[data-tone]]:whitespace-normal">
          {status ? content(type, status, row) : null}
        </span>
        {/* Below the name, next to the checkbox. */}
        <span
          className={cx(
            'flex flex-wrap items-center gap-x-4 gap-y-1 text-table text-muted',
            selection && 'pl-5 touch:pl-9',
          )}
        >
          {cardColumns.map((column) => (
            <span key={column.field} className="inline-flex items-center gap-1.5">
              <span>{columnLabel(type, column)}</span>
              {/* A card has no column to align the pill with. */}
              <span className="text-fg [&_[data-tone]]:ml-0">{content(type, column, row)}</span>
            </span>
          ))}
        </span>
        <span className="relative z-1 -my-3 flex items-center justify-self-end">
          {favorites ? (
            <FavoriteButton type={type} name={row.name} title={titleOf(row)} value={row['favorite']} />
          ) : null}
          {menu ? <RowMenu type={type} row={row} title={titleOf(row)} content={menu} /> : null}
        </span>
        {first?.cardButton ? (
          <span className={cx('relative z-1 col-span-2 empty:hidden', selection && 'pl-5 touch:pl-9')}>
            {first.cardButton(row)}
          </span>
        ) : null}
      </li>
    )
  }
  return (
    <ul
      aria-label={translateText(type.plural ?? type.name)}
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
        : rows.map((row, at) => {
            const group = groupOf && beginsGroup(groupOf, rows, at)
            return group ? (
              <Fragment key={row.name}>
                <li className="bg-sunken px-3 py-2 first:rounded-t-card">
                  <h2 className="text-meta font-medium wrap-anywhere text-muted">{group.label}</h2>
                </li>
                {card(row)}
              </Fragment>
            ) : (
              card(row)
            )
          })}
    </ul>
  )
}
