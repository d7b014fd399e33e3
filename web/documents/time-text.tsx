import { formatAbsolute, formatRelative, parseTime } from '#web/lib/format.ts'
import { Tooltip } from '#web/ui/tooltip.tsx'
import { useNow } from './use-now.ts'

/** A stored point in time as people say it; the exact one on hover and focus. */
export function TimeText({ at, className }: { at: string | null | undefined; className?: string }) {
  const now = useNow(30_000)
  const date = parseTime(at)
  if (!date) return null
  return (
    <Tooltip content={formatAbsolute(date)}>
      <time dateTime={date.toISOString()} tabIndex={0} className={className}>
        {formatRelative(date, now)}
      </time>
    </Tooltip>
  )
}
