import { useEffect, type ReactNode } from 'react'
import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { statusLook } from '#web/documents/values/status-tones.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { barsOf, countOf, type Bar, type Counted } from './counts.ts'
import { t } from './messages.ts'
import { useCounted } from './use-counted.ts'

/** What a widget counts. */
export interface Count {
  readonly type: Doctype
  readonly field: string
  readonly title: string
  readonly filters: readonly FilterTriple[]
  /** Path of the list behind it. */
  readonly path: string
  /** Label for documents without a value; defaults to "None". */
  readonly unset?: string
  /** Replaces the total in the header. */
  readonly summary?: (rows: readonly Counted[]) => ReactNode
  /** From how many values on it is shown; defaults to two, because one bar alone compares nothing. */
  readonly least?: number
  /** Below the bars; null while it loads. */
  readonly below?: ReactNode
}

/**
 * Counts as bars, from one grouped request; each bar links to the list of what it counts. `onKnown` is called when the
 * counts have loaded or failed to load.
 */
export function CountCard({ count, onKnown }: { count: Count; onKnown: (title: string) => void }) {
  const { type, field, title, filters, path, least = 2, below } = count
  const { rows, ...counts } = useCounted(type.name, field, filters)
  const known = (rows !== undefined && below !== null) || counts.error !== null
  useEffect(() => {
    if (known) onKnown(title)
  }, [known, onKnown, title])
  if (rows && rows.length < least) return null
  const bars = rows && barsOf(rows, { field, filters, path })
  const top = Math.max(1, ...(bars ?? []).map((bar) => bar.n))
  return (
    <Card aria-label={title}>
      <CardHead title={title}>
        {rows ? <span className="text-muted">{count.summary?.(rows) ?? formatNumber(countOf(rows))}</span> : null}
      </CardHead>
      {counts.error && !rows ? (
        <ErrorPanel
          className="flex items-start gap-3 px-4 pb-4"
          title={t('dashboard.counts_error')}
          error={counts.error}
          onRetry={counts.reload}
        />
      ) : null}
      <ul className="px-2 pb-2.5">
        {bars?.map((bar) => <BarLine key={bar.key} bar={bar} count={count} top={top} />) ??
          (counts.error
            ? null
            : Array.from({ length: 3 }, (_, index) => (
                <li key={index} aria-hidden="true" className="flex h-7 items-center px-2 max-md:h-11">
                  <Skeleton className="h-3 w-full" />
                </li>
              )))}
      </ul>
      {below}
    </Card>
  )
}

function BarLine({ bar, count, top }: { bar: Bar; count: Count; top: number }) {
  const { type, field } = count
  const look = bar.kind === 'value' ? statusLook(type.name, field, bar.value) : null
  const label =
    bar.kind === 'value'
      ? valueLabel(type, field, bar.value)
      : bar.kind === 'rest'
        ? t('dashboard.others')
        : (count.unset ?? t('dashboard.unset'))
  return (
    <li>
      <Link
        to={bar.href}
        className="grid h-7 grid-cols-[112px_1fr_auto] items-center gap-2 rounded-ctl px-2 text-table hover:bg-hover max-md:h-11"
      >
        <span className="flex min-w-0 items-center gap-1.5">
          {look ? <StatusIcon tone={look.tone} busy={false} size={14} /> : null}
          <span className="truncate">{label}</span>
        </span>
        <span aria-hidden="true" className="block">
          <span
            className="block h-1.5 min-w-[3px] rounded-[3px] bg-m-quiet"
            style={{ width: `${(bar.n / top) * 100}%` }}
          />
        </span>
        <span className="text-right font-medium">{formatNumber(bar.n)}</span>
      </Link>
    </li>
  )
}
