import type { ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'

/** One labelled fact. */
export interface Fact {
  label: string
  value: ReactNode
}

/** Elements of a list, and those for where a text alone may stand. */
const listed = { List: 'dl', Line: 'div', Term: 'dt', Value: 'dd' } as const
const inText = { List: 'span', Line: 'span', Term: 'span', Value: 'span' } as const

/**
 * Labelled facts, one per line, values at the right edge; `wide` in two columns where there is room. `text`: inside of
 * what holds no lists, such as the description of a link.
 */
export function FactList({
  facts,
  wide = false,
  text = false,
}: {
  facts: readonly Fact[]
  wide?: boolean
  text?: boolean
}) {
  const { List, Line, Term, Value } = text ? inText : listed
  return (
    <List className={cx('grid gap-2', wide && 'gap-x-12 md:grid-cols-2')}>
      {facts.map((fact) => (
        <Line key={fact.label} className="flex min-h-5 items-center gap-3 text-table">
          <Term className="flex-none text-muted">{fact.label}</Term>
          <Value className="ml-auto min-w-0 text-right [overflow-wrap:anywhere]">{fact.value}</Value>
        </Line>
      ))}
    </List>
  )
}
