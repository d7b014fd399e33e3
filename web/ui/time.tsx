import { parseTime } from '#web/lib/i18n/format-day.ts'
import { formatAbsolute, formatRelative } from '#web/lib/i18n/format.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { Tooltip } from './overlay/tooltip.tsx'

/** A sentence about a time: `words` puts "3 minutes ago" where it belongs. */
export interface SaidTime {
  /** As on the wire. */
  value: string
  words: (when: string) => string
}

/**
 * A wire time as people say it ("3 minutes ago"), and the exact one (docs/contracts/screens.md). Where it stands decides how
 * the exact one is said, so that keyboard and touch get at it without a hundred tab stops:
 * - `row`: one of many in a table, a feed or cards: under the pointer; the page or drawer of the row says it to everybody;
 * - `alone`: beside a few things that have no page: under the pointer and with the keyboard's focus, written out for fingers;
 * - `fact`: on that page or in that drawer: always written out.
 * `words`: the whole sentence it is said in; the time alone when absent.
 */
export function Time({
  value,
  place = 'row',
  words: say,
  className,
}: {
  value: string | null | undefined
  place?: 'row' | 'alone' | 'fact'
  words?: SaidTime['words'] | undefined
  className?: string
}) {
  const now = useNow(30_000)
  const date = parseTime(value)
  if (!date) return null
  const exact = formatAbsolute(date)
  const machines = date.toISOString()
  const when = formatRelative(date, now)
  const words = say ? say(when) : when
  if (place === 'row') {
    return (
      <time dateTime={machines} title={exact} className={className}>
        {words}
      </time>
    )
  }
  if (place === 'fact') {
    return (
      <time dateTime={machines} className={className}>
        {exact} <span className="whitespace-nowrap text-muted">({words})</span>
      </time>
    )
  }
  return (
    <Tooltip content={exact}>
      {/* The exact time must be within reach of the keyboard. */}
      <time dateTime={machines} tabIndex={0} className={className}>
        {words}
        <span className="hidden touch:inline"> ({exact})</span>
      </time>
    </Tooltip>
  )
}
