import { ArrowDown, ArrowUp } from 'lucide-react'
import { useLayoutEffect, useRef, useState, type ComponentProps, type ReactNode, type RefObject } from 'react'
import { cx } from '#web/lib/browser/cx.ts'

/** A native table in a card. Scrolls horizontally inside its box, never the page; `label` is its accessible name. */
export function Table({
  label,
  busy = false,
  rowCount,
  stickyHead = false,
  box: givenBox,
  children,
}: {
  label: string
  busy?: boolean
  /** Total number of rows including the header, if not all are rendered. */
  rowCount?: number | undefined
  /** Keeps the header visible while the page scrolls. */
  stickyHead?: boolean
  /** The element around the table, whose width it has. */
  box?: RefObject<HTMLDivElement | null>
  children: ReactNode
}) {
  const ownBox = useRef<HTMLDivElement>(null)
  const box = givenBox ?? ownBox
  const [wide, setWide] = useState(false)
  useLayoutEffect(() => {
    const element = box.current
    const table = element?.firstElementChild
    if (!element || !table) return
    // Inside a horizontally scrolling box, the header can't be sticky to the page. The observer looks once at first, between
    // layout and paint: to ask here would lay the page out once more.
    const observer = new ResizeObserver(() => setWide(table.scrollWidth > element.clientWidth + 1))
    observer.observe(element)
    observer.observe(table)
    return () => observer.disconnect()
  }, [box])
  return (
    <div
      ref={box}
      // Whoever has no pointer scrolls it with the arrow keys.
      {...(wide && { tabIndex: 0, role: 'region', 'aria-label': label })}
      data-stick={stickyHead && !wide ? true : undefined}
      className="group/table relative overflow-x-auto rounded-card border border-border bg-surface shadow-xs data-[stick]:overflow-visible"
    >
      <table
        aria-label={label}
        aria-busy={busy}
        aria-rowcount={rowCount}
        className="w-full border-separate border-spacing-0 text-table"
      >
        {children}
      </table>
    </div>
  )
}

/** Sort state of a column, as in ARIA. */
export type AriaSort = 'ascending' | 'descending' | 'none'

/** Header cell; with `onSort` it is a button. `sticky` keeps the name column visible. */
export function HeadCell({
  children,
  sort,
  onSort,
  right = false,
  sticky = false,
  className,
}: {
  children: ReactNode
  sort?: AriaSort
  onSort?: () => void
  right?: boolean
  sticky?: boolean
  className?: string
}) {
  const Arrow = sort === 'descending' ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      aria-sort={onSort ? (sort ?? 'none') : undefined}
      className={cx(
        'h-9 border-b border-border bg-surface px-2.5 text-meta font-medium whitespace-nowrap first:rounded-tl-card first:pl-4 last:rounded-tr-card',
        // Below the top bar.
        'group-data-[stick]/table:sticky group-data-[stick]/table:top-14 group-data-[stick]/table:z-2',
        right ? 'text-right' : 'text-left',
        sort && sort !== 'none' ? 'text-fg' : 'text-muted',
        sticky && 'sticky left-0 z-1',
        className,
      )}
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className={cx(
            'inline-flex h-7 items-center gap-1 rounded-xs font-medium hover:text-fg',
            right && 'flex-row-reverse',
          )}
        >
          {children}
          <Arrow
            size={14}
            strokeWidth={1.75}
            aria-hidden="true"
            className={cx(
              sort === 'none' &&
                'opacity-0 [@media(hover:hover)]:in-[button:hover]:opacity-50 in-[button:focus-visible]:opacity-50',
            )}
          />
        </button>
      ) : (
        children
      )}
    </th>
  )
}

/** Body row: highlighted on hover, with focus inside, and if `selected` (`base.css`). */
export function Row({ className, selected = false, ...rest }: ComponentProps<'tr'> & { selected?: boolean }) {
  return (
    <tr data-row data-selected={selected || undefined} className={cx('last:[&>*]:border-b-0', className)} {...rest} />
  )
}

/** Heading of the rows below it, up to the next one. */
export function GroupRow({ label, columns }: { label: string; columns: number }) {
  return (
    <tr>
      <th
        scope="colgroup"
        colSpan={columns}
        className="border-b border-hairline bg-sunken px-2.5 py-1.5 text-left text-meta font-medium wrap-anywhere text-muted first:pl-4"
      >
        {label}
      </th>
    </tr>
  )
}

/** Space of rows that are not rendered. */
export function RowGap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true" style={{ height }}>
      {/* Empty and hidden: a label would announce nothing. */}
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label */}
      <td colSpan={columns} />
    </tr>
  )
}

const cell = 'h-11 border-b border-hairline px-2.5 py-1 whitespace-nowrap align-middle first:pl-4'

/** Body cell. */
export function Cell({ right = false, className, ...rest }: ComponentProps<'td'> & { right?: boolean }) {
  return <td className={cx(cell, right && 'text-right', className)} {...rest} />
}

/** Body cell that names its row. */
export function NameCell({ className, ...rest }: ComponentProps<'th'>) {
  return (
    <th
      scope="row"
      className={cx(cell, 'sticky left-0 z-1 text-left font-medium tracking-[-.004em]', className)}
      {...rest}
    />
  )
}
