import type { ReactNode } from 'react'
import { cx } from '#web/lib/cx.ts'
import { t } from '#web/lib/messages.ts'
import { CopyField } from './copy-button.tsx'

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

/** A labelled value made to be copied. */
export function CopyFact({ label, value }: { label: string; value: string }) {
  return (
    <div className="grid grid-cols-[72px_minmax(0,1fr)] items-center gap-3 text-table">
      <span className="text-muted">{label}</span>
      <CopyField value={value} label={`${t('common.copy')} ${label}`} />
    </div>
  )
}
