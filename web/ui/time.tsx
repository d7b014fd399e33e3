import { parseTime } from '#web/lib/i18n/format-day.ts'
import { formatAbsolute, formatRelative } from '#web/lib/i18n/format.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { Tooltip } from './overlay/tooltip.tsx'

/** A sentence about a time: `format` inserts "3 minutes ago". */
export interface RelativeTime {
  /** In API format. */
  value: string
  format: (when: string) => string
}

/**
 * An API time in relative form ("3 minutes ago") and exact (docs/contracts/screens.md). `variant` decides how the exact time
 * is shown, so that keyboard and touch users can reach it without a hundred tab stops:
 * - `row`: one of many in a table, feed or cards: on hover; the row's page or drawer shows it to everyone;
 * - `standalone`: one of few, without a page: on hover and keyboard focus, and always visible on touch devices;
 * - `detail`: on that page or in that drawer: always visible.
 * `format`: the whole sentence around it; without it, only the time.
 */
export function Time({
  value,
  variant = 'row',
  format,
  className,
}: {
  value: string | null | undefined
  variant?: 'row' | 'standalone' | 'detail'
  format?: RelativeTime['format'] | undefined
  className?: string
}) {
  const now = useNow(30_000)
  const date = parseTime(value)
  if (!date) return null
  const exact = formatAbsolute(date)
  const machines = date.toISOString()
  const when = formatRelative(date, now)
  const text = format ? format(when) : when
  if (variant === 'row') {
    return (
      <time dateTime={machines} title={exact} className={className}>
        {text}
      </time>
    )
  }
  if (variant === 'detail') {
    return (
      <time dateTime={machines} className={className}>
        {exact} <span className="whitespace-nowrap text-muted">({text})</span>
      </time>
    )
  }
  return (
    <Tooltip content={exact}>
      {/* The exact time must be reachable by keyboard. */}
      <time dateTime={machines} tabIndex={0} className={className}>
        {text}
        <span className="hidden touch:inline"> ({exact})</span>
      </time>
    </Tooltip>
  )
}
