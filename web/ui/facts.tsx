import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/** One labelled fact. */
export interface Fact {
  label: string
  value: ReactNode
}

/** Labelled facts, one per line, values at the right edge. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid gap-2">
      {facts.map((fact) => (
        <div key={fact.label} className="flex min-h-5 items-center gap-3 text-table">
          <dt className="flex-none text-muted">{fact.label}</dt>
          <dd className="ml-auto min-w-0 text-right [overflow-wrap:anywhere]">{fact.value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Something one copies: mono text in a sunken box with its copy button. */
export function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <div className="grid grid-cols-[72px_minmax(0,1fr)] items-center gap-3 text-table">
      <span className="text-muted">{label}</span>
      <span className="flex h-8 min-w-0 items-center gap-2 rounded-ctl border border-border bg-sunken pr-1 pl-2.5 font-mono text-meta">
        <span className="min-w-0 flex-1 truncate" title={value}>{value}</span>
        <CopyButton value={value} label={`Copy ${label}`} />
      </span>
    </div>
  )
}
