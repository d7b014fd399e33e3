import { formatAbsolute, formatRelative, parseTime } from '#web/lib/format.ts'
import { useNow } from '#web/lib/use-now.ts'
import { Tooltip } from '#web/ui/tooltip.tsx'

/** A stored point in time as people say it ("3 minutes ago"); the exact one on hover and focus, and for machines. */
export function TimeText({ at, className }: { at: string | null | undefined; className?: string }) {
  const now = useNow(30_000)
  const date = parseTime(at)
  if (!date) return null
  return (
    <Tooltip text={formatAbsolute(date)}>
      <time dateTime={date.toISOString()} className={className}>
        {formatRelative(date, now)}
      </time>
    </Tooltip>
  )
}
