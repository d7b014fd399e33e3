import { translateText } from '#web/lib/i18n/catalog.ts'
import { cx } from '#web/lib/browser/cx.ts'
import type { ReactNode } from 'react'
import { t } from '#web/lib/i18n/messages.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Skeleton } from './skeleton.tsx'
import { StatusIcon, type Tone } from './status.tsx'
import { Time, type RelativeTime } from './time.tsx'

/** A summary card of a screen. */
export interface SummaryCard {
  label: string
  /** The value; null while loading. */
  value: ReactNode
  /** Supporting detail. */
  detail?: ReactNode | RelativeTime
  tone?: Tone
  busy?: boolean
  /** Path (below /web) of what the value counts. */
  href?: string | undefined
}

/**
 * Summary cards at the top of a page. `slim` is a single line, above long tables; `failed`: values that are null failed to
 * load.
 */
export function SummaryCards({
  items: given,
  slim = false,
  failed = false,
}: {
  items: readonly SummaryCard[]
  slim?: boolean
  failed?: boolean
}) {
  const items = failed ? given.map(notLoaded) : given
  return (
    <section
      aria-label={translateText('Summary')}
      className="mb-4 grid grid-cols-1 divide-y divide-hairline rounded-card border border-border bg-surface shadow-xs md:auto-cols-fr md:grid-flow-col md:divide-x md:divide-y-0"
    >
      {items.map((item) =>
        slim ? <SlimCard key={item.label} item={item} /> : <FullCard key={item.label} item={item} />,
      )}
    </section>
  )
}

function isRelativeTime(detail: SummaryCard['detail']): detail is RelativeTime {
  return typeof detail === 'object' && detail !== null && 'format' in detail
}

function Detail({ detail }: Pick<SummaryCard, 'detail'>) {
  return isRelativeTime(detail) ? <Time variant="standalone" {...detail} /> : detail
}

/** Nothing is loading anymore, so don't show skeletons. */
function notLoaded(item: SummaryCard): SummaryCard {
  return item.value === null ? { label: item.label, value: t('common.not_loaded'), tone: 'none' } : item
}

/** The value, as a link if it has a target. */
function CardText({ item, className }: { item: SummaryCard; className: string }) {
  if (!item.href) return <b className={cx('font-semibold', className)}>{item.value}</b>
  return (
    <Link to={item.href} className={cx('rounded-xs font-semibold hover:underline', className)}>
      {item.value}
    </Link>
  )
}

function FullCard({ item }: { item: SummaryCard }) {
  return (
    <div className="min-w-0 px-4 pt-3 pb-3 max-md:px-3.5 max-md:pt-2 max-md:pb-2.5">
      <h2 className="text-meta font-normal text-muted">{item.label}</h2>
      <p className="mt-0.5 flex min-h-6 items-center gap-2 text-lead font-semibold tracking-[-.012em] max-md:text-[15px]">
        {item.value === null ? (
          <Skeleton className="h-4 w-40" />
        ) : (
          <>
            {item.tone ? <StatusIcon tone={item.tone} busy={item.busy ?? false} /> : null}
            <CardText item={item} className="min-w-0 wrap-anywhere" />
          </>
        )}
      </p>
      <p className="mt-0.5 min-h-[18px] text-table text-muted">
        {item.value === null ? <Skeleton className="h-3 w-52" /> : <Detail detail={item.detail} />}
      </p>
    </div>
  )
}

function SlimCard({ item }: { item: SummaryCard }) {
  return (
    <div className="flex min-h-11 min-w-0 items-center gap-2 px-4 text-table max-md:px-3.5 md:max-xl:min-h-13">
      <h2 className="sr-only">{item.label}</h2>
      {item.value === null ? (
        <Skeleton className="h-3 w-44" />
      ) : (
        <>
          {item.tone ? <StatusIcon tone={item.tone} busy={item.busy ?? false} /> : null}
          {/* On tablets the detail goes below the value; there is no space next to it. */}
          <span className="flex min-w-0 items-baseline gap-2 md:max-xl:flex-col md:max-xl:items-start md:max-xl:gap-0">
            <CardText item={item} className="max-w-full flex-none truncate font-semibold" />
            {item.detail ? (
              <span className="max-w-full min-w-0 truncate text-muted">
                <Detail detail={item.detail} />
              </span>
            ) : null}
          </span>
        </>
      )}
    </div>
  )
}
