import { useMemo, useState, type KeyboardEvent } from 'react'
import type { Server } from '#shared/doctypes/server.ts'
import { activityTitle, withDetail } from '#web/documents/activity/activity-text.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { EventStrip, type GraphEvent } from './event-strip.tsx'
import { t } from './messages.ts'
import { MetricChartCard } from './metric-chart.tsx'
import type { Metrics } from './metric-charts.ts'
import { timeText } from './metric-times.ts'
import { shortestSpan } from './plot-options.ts'

/** All graphs of a range, with one crosshair and one zoom. */
export function Charts({
  server,
  metrics,
  hasEvents,
  zoom,
  onZoom,
}: {
  server: Server
  metrics: Metrics
  hasEvents: boolean
  /** Times at both ends; null: the whole range. */
  zoom: readonly [from: number, to: number] | null
  /** Always the same function. */
  onZoom: (span: readonly [number, number] | null) => void
}) {
  const { times, gaps, charts, newest } = metrics
  const [index, setIndex] = useState<number | null>(null)
  const whole = useMemo((): [number, number] => [times[0] ?? 0, (times.at(-1) ?? 0) + 1], [times])
  const span = zoom ?? whole
  const found = useEvents(server, whole[0])
  const events = useMemo(() => (hasEvents ? found : []), [hasEvents, found])
  const gapTimes = gaps.map(([from, to]) => [times[from] ?? 0, times[to] ?? 0] as const)
  // Not with the crosshair: another object is another drawing.
  const inputs = useMemo(() => {
    const marks = events.map(({ at }) => at)
    return charts.map((chart) => ({ chart, times, gaps, span, marks, onPoint: setIndex, onZoom }))
  }, [charts, times, gaps, span, events, onZoom])
  return (
    <>
      <TimeSlider metrics={metrics} index={index} span={span} onPoint={setIndex} onZoom={onZoom} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-3 lg:grid-cols-2">
        {[false, true].map((hidden) => (
          <EventStrip key={String(hidden)} span={span} events={events} gaps={gapTimes} hidden={hidden} />
        ))}
        {inputs.map((input) => (
          <MetricChartCard key={input.chart.id} input={input} index={index} newest={newest} />
        ))}
      </div>
    </>
  )
}

/**
 * The crosshair for keyboard and touch: arrow keys move it, plus and minus zoom, Escape shows the whole range.
 */
function TimeSlider({
  metrics: { times, interval, charts, newest },
  index,
  span: [from, to],
  onPoint,
  onZoom,
}: {
  metrics: Metrics
  index: number | null
  span: readonly [number, number]
  onPoint: (index: number | null) => void
  onZoom: (span: readonly [number, number] | null) => void
}) {
  const first = times.findIndex((at) => at >= from)
  const last = times.findLastIndex((at) => at <= to)
  const at = Math.min(last, Math.max(first, index ?? newest))
  const values = charts.flatMap(({ title, series, format }) => {
    const value = series.at(-1)?.values[at] ?? null
    return value === null ? [] : [`${title} ${format(value)}`]
  })
  const zoomBy = (factor: number) => {
    const [middle, half] = [times[at] ?? from, ((to - from) * factor) / 2]
    const [start, end] = [times[0] ?? from, times.at(-1) ?? to]
    if (2 * half < shortestSpan) return
    if (2 * half >= end - start) onZoom(null)
    else onZoom([Math.max(start, middle - half), Math.min(end, middle + half)])
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === '+' || event.key === '=') zoomBy(0.5)
    else if (event.key === '-') zoomBy(2)
    else if (event.key === 'Escape') onZoom(null)
    else return
    event.preventDefault()
  }
  const time = timeText(times[at] ?? 0, interval)
  return (
    <div className="mb-1 flex flex-wrap items-center gap-x-3 text-table text-muted">
      <input
        type="range"
        className="time-slider block h-6 min-w-40 flex-1 cursor-pointer touch:h-11"
        min={first}
        max={last}
        value={at}
        aria-label={t('graphs.time')}
        aria-valuetext={`${time}: ${values.length > 0 ? values.join(', ') : t('graphs.no_data')}`}
        onChange={(event) => onPoint(Number(event.target.value))}
        onKeyDown={onKeyDown}
        onBlur={() => onPoint(null)}
      />
      <span aria-hidden="true">{time}</span>
    </div>
  )
}

/** Most events shown. */
const mostEvents = 100

/** What was done to the server since a time (seconds since 1970), oldest first. */
function useEvents(server: Server, since: number): readonly GraphEvent[] {
  const found = useSmallList('Activity', {
    fields: ['name', 'creation', 'action', 'detail', 'detail_i18n'],
    filters: [
      ['reference_doctype', '=', 'Server'],
      ['reference_name', '=', server.name],
      ['superseded', '=', 0],
      ['result', '!=', 'Denied'],
      // Reads the machine and changes nothing.
      ['action', '!=', 'Server.refresh_facts'],
      ['creation', '>=', new Date(since * 1000).toISOString().slice(0, 19).replace('T', ' ')],
    ],
    order_by: 'creation desc',
    limit: mostEvents,
  })
  return useMemo(
    () =>
      (found.data ?? []).toReversed().map(({ name, creation, ...activity }) => ({
        name,
        at: (parseTime(creation)?.getTime() ?? 0) / 1000,
        text: withDetail(activityTitle(activity.action ?? ''), activity),
      })),
    [found.data],
  )
}
