import type { ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'

/** A labeled value. */
export interface Detail {
  label: string
  value: ReactNode
  /** A sentence about the value, below it. The line then takes the whole width. */
  note?: string
}

/** Elements as a definition list, and inline where only text is allowed. */
const listed = { List: 'dl', Line: 'div', Term: 'dt', Value: 'dd' } as const
const inText = { List: 'span', Line: 'span', Term: 'span', Value: 'span' } as const

/**
 * Labeled values, one per line, aligned right; `wide` uses two columns if there is space. `text`: for places where lists are
 * not allowed, such as a link's description.
 */
export function DetailList({
  details,
  wide = false,
  text = false,
}: {
  details: readonly Detail[]
  wide?: boolean
  text?: boolean
}) {
  const { List, Line, Term, Value } = text ? inText : listed
  return (
    <List className={cx('grid gap-2', wide && 'gap-x-12 md:grid-cols-2')}>
      {details.map((detail) => (
        <Line
          key={detail.label}
          className={cx(
            'flex min-h-5 items-center gap-x-3 text-table',
            detail.note !== undefined && 'flex-wrap',
            detail.note !== undefined && wide && 'md:col-span-2',
          )}
        >
          <Term className="flex-none text-muted">{detail.label}</Term>
          <Value className="ml-auto min-w-0 text-right [overflow-wrap:anywhere]">{detail.value}</Value>
          {detail.note === undefined ? null : <Value className="basis-full text-meta text-muted">{detail.note}</Value>}
        </Line>
      ))}
    </List>
  )
}
