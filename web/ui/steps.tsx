import { translateText } from '#web/lib/i18n/catalog.ts'
import { cx } from '#web/lib/browser/cx.ts'
import type { ReactNode } from 'react'
import { ProgressBar } from './meter.tsx'
import { StatusIcon, type Tone } from './status.tsx'

/** An item of a list of named steps. */
export interface StepItem {
  key: string
  label: string
  tone: Tone
  busy?: boolean
  /** Status as text, for screen readers. */
  state: string
  detail?: ReactNode
  /** What else belongs to the step, below the detail. */
  more?: ReactNode
  /** Formatted duration. */
  duration?: string | null
  /** Percent of the running step; shows a progress bar. */
  percent?: number | null
}

/** Named steps with durations, joined by a thin line; only the running one has a progress bar. */
export function Steps({ items }: { items: readonly StepItem[] }) {
  return (
    <ol className="px-5 py-3 max-md:py-2" aria-label={translateText('Steps')}>
      {items.map((item, index) => (
        <li
          key={item.key}
          aria-current={item.busy ? 'step' : undefined}
          className="relative grid grid-cols-[16px_1fr_auto] gap-x-3 py-1.5 text-table"
        >
          {index < items.length - 1 ? (
            <span aria-hidden="true" className="absolute top-[26px] -bottom-1 left-[7.5px] w-px bg-border" />
          ) : null}
          <StatusIcon tone={item.tone} busy={item.busy ?? false} className="mt-px" />
          <div className="min-w-0">
            <span className={cx(item.busy ? 'font-semibold' : item.tone === 'none' ? 'text-muted' : 'font-medium')}>
              {item.label}
            </span>
            <span className="sr-only">{`, ${item.state}`}</span>
            {item.detail ? <span className="block text-meta text-muted">{item.detail}</span> : null}
            {item.busy && typeof item.percent === 'number' && item.percent > 0 ? (
              <ProgressBar percent={item.percent} label={item.label} className="mt-1.5 w-2/3" />
            ) : null}
            {item.more}
          </div>
          <span className="text-meta text-muted">{item.duration}</span>
        </li>
      ))}
    </ol>
  )
}
