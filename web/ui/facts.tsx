import type { ReactNode } from 'react'
import { cx } from '#web/lib/cx.ts'

/** One labelled fact. */
export interface Fact {
  label: string
  value: ReactNode
}

/** Labelled facts, one per line, values at the right edge; `wide` in two columns where there is room. */
export function FactList({ facts, wide = false }: { facts: readonly Fact[]; wide?: boolean }) {
  return (
    <dl className={cx('grid gap-2', wide && 'gap-x-12 md:grid-cols-2')}>
      {facts.map((fact) => (
        <div key={fact.label} className="flex min-h-5 items-center gap-3 text-table">
          <dt className="flex-none text-muted">{fact.label}</dt>
          <dd className="ml-auto min-w-0 text-right [overflow-wrap:anywhere]">{fact.value}</dd>
        </div>
      ))}
    </dl>
  )
}
