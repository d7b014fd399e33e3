import { parseTime } from '#web/lib/format-day.ts'
import { formatAbsolute, formatRelative } from '#web/lib/format.ts'
import { useNow } from '#web/lib/use-now.ts'

/** A wire time as people say it ("3 minutes ago"); the exact time on hover and for machines. */
export function Time({ value, className }: { value: string | null | undefined; className?: string }) {
  const now = useNow(30_000)
  const date = parseTime(value)
  if (!date) return null
  return (
    <time dateTime={date.toISOString()} title={formatAbsolute(date)} className={className}>
      {formatRelative(date, now)}
    </time>
  )
}
