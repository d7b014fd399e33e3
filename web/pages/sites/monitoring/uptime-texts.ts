import { formatClock, formatDuration } from '#web/lib/i18n/format.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import type { Interval } from './uptime-view.ts'
import { t } from './messages.ts'

/** A response time; a dash if nothing was measured. */
export function tookText(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? t('summary.none') : formatDuration(ms / 1000)
}

/** Day and time of an interval. */
export function timeText(seconds: number): string {
  const date = new Date(seconds * 1000)
  return `${formatDay(date)}, ${formatClock(date)}`
}

/** What was found in an interval: its state, then the values. */
export function intervalText({ state, bucket }: Interval): string {
  const parts = [state === null ? t('chart.none') : t(`chart.${state}`)]
  if (bucket && bucket.median_ms !== null)
    parts.push(t('chart.value', { median: tookText(bucket.median_ms), p95: tookText(bucket.p95_ms) }))
  if (bucket && bucket.down > 0)
    parts.push(t('chart.failed', { failed: bucket.down, all: bucket.up + bucket.slow + bucket.down }))
  return parts.join(', ')
}
