import { useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { Uptime } from '#shared/responses/uptime.ts'
import { intervalText, timeText, tookText } from './uptime-texts.ts'
import { axisTop, indexAt, linePath, type Interval } from './uptime-view.ts'
import { t } from './messages.ts'

/** A change of the site, marked in the graph. */
export interface ChartChange {
  /** Seconds since 1970. */
  readonly at: number
  readonly text: string
}

const height = 150
const fills = {
  up: 'fill-m-ok',
  slow: 'fill-m-warn',
  down: 'fill-m-bad',
  asleep: 'fill-m-quiet',
  paused: 'fill-m-info',
} as const
const dots = {
  up: 'bg-m-ok',
  slow: 'bg-m-warn',
  down: 'bg-m-bad',
  asleep: 'bg-m-quiet',
  paused: 'bg-m-info',
} as const

/** Response times above, states below, and one crosshair through both, moved by pointer or arrow keys. */
export function UptimeChart({
  uptime,
  intervals,
  changes,
}: {
  uptime: Uptime
  intervals: readonly Interval[]
  changes: readonly ChartChange[]
}) {
  const [chosen, setChosen] = useState<number | null>(null)
  const count = intervals.length
  const width = 1000 / Math.max(1, count)
  const top = axisTop(Math.max(0, ...intervals.map(({ bucket }) => bucket?.p95_ms ?? 0)))
  const index = chosen === null ? null : Math.min(chosen, count - 1)
  const current = index === null ? undefined : intervals[index]
  const marks = changes.flatMap(({ at, text }) => {
    const place = indexAt(uptime, count, at)
    return place === -1 ? [] : [{ place, text }]
  })
  const pointed = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    if (box.width > 0) setChosen(bounded(((event.clientX - box.left) / box.width) * count, count))
  }
  const keyed = (event: KeyboardEvent) => {
    const from = index ?? count - 1
    const next = {
      ArrowLeft: from - 1,
      ArrowRight: from + 1,
      Home: 0,
      End: count - 1,
      PageUp: from - 10,
      PageDown: from + 10,
    }[event.key]
    if (event.key === 'Escape') setChosen(null)
    if (next === undefined) return
    event.preventDefault()
    setChosen(bounded(next, count))
  }
  const changed = marks.filter(({ place }) => place === index).map(({ text }) => text)
  const last = intervals.at(-1)
  const value = current ? `${timeText(current.at)}: ${[intervalText(current), ...changed].join(', ')}` : null
  return (
    <div className="grid gap-2">
      <p className="min-h-10 text-table text-muted md:min-h-5" aria-hidden="true">
        {value ?? t('chart.hint')}
      </p>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <div
          aria-hidden="true"
          className="flex flex-col justify-between text-right text-meta text-muted"
          style={{ height }}
        >
          <span>{tookText(top)}</span>
          <span>{tookText(top / 2)}</span>
          <span>0</span>
        </div>
        <div
          role="slider"
          tabIndex={0}
          aria-label={t('chart.label', { from: timeText(uptime.from), to: timeText(uptime.to) })}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, count - 1)}
          aria-valuenow={index ?? Math.max(0, count - 1)}
          aria-valuetext={value ?? (last ? `${timeText(last.at)}: ${intervalText(last)}` : t('chart.none'))}
          className="relative cursor-crosshair touch-pan-y"
          onKeyDown={keyed}
          onPointerMove={pointed}
          onPointerDown={pointed}
          onPointerLeave={() => setChosen(null)}
        >
          <svg
            aria-hidden="true"
            viewBox={`0 0 1000 ${height}`}
            preserveAspectRatio="none"
            className="block w-full overflow-visible"
            style={{ height }}
          >
            {[0, height / 2, height].map((y) => (
              <line
                key={y}
                x1={0}
                x2={1000}
                y1={y}
                y2={y}
                className="stroke-hairline"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {marks.map(({ place, text }, at) => (
              <line
                key={`${place} ${at} ${text}`}
                x1={(place + 0.5) * width}
                x2={(place + 0.5) * width}
                y1={0}
                y2={height}
                className="stroke-muted"
                strokeDasharray="3 3"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {(
              [
                ['p95_ms', 'stroke-brand-line'],
                ['median_ms', 'stroke-brand'],
              ] as const
            ).map(([field, stroke]) => (
              <path
                key={field}
                d={linePath(intervals, (bucket) => bucket[field], top, height)}
                fill="none"
                className={stroke}
                strokeWidth={2}
                strokeLinejoin="round"
                strokeLinecap="round"
                vectorEffect="non-scaling-stroke"
              />
            ))}
          </svg>
          <svg
            aria-hidden="true"
            viewBox="0 0 1000 16"
            preserveAspectRatio="none"
            className="mt-2 block h-4 w-full rounded-xs bg-sunken"
          >
            {intervals.map(({ at, state }, place) =>
              state === null ? null : (
                <rect
                  key={at}
                  x={place * width}
                  width={width}
                  height={16}
                  className={fills[state]}
                  shapeRendering="crispEdges"
                />
              ),
            )}
          </svg>
          {index === null ? null : (
            <span
              aria-hidden="true"
              className="pointer-events-none absolute inset-y-0 w-px bg-fg"
              style={{ left: `${((index + 0.5) / Math.max(1, count)) * 100}%` }}
            />
          )}
        </div>
        <span />
        <div aria-hidden="true" className="mt-1 flex justify-between text-meta text-muted">
          <span>{timeText(uptime.from)}</span>
          <span>{timeText(uptime.to)}</span>
        </div>
      </div>
      <Legend />
    </div>
  )
}

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-meta text-muted">
      <li className="flex items-center gap-1.5">
        <span aria-hidden="true" className="h-0.5 w-4 bg-brand" />
        {t('chart.median')}
      </li>
      <li className="flex items-center gap-1.5">
        <span aria-hidden="true" className="h-0.5 w-4 bg-brand-line" />
        {t('chart.p95')}
      </li>
      <li className="flex items-center gap-1.5">
        <span aria-hidden="true" className="h-3 border-l border-dashed border-muted" />
        {t('chart.change')}
      </li>
      {(['up', 'slow', 'down', 'asleep', 'paused'] as const).map((state) => (
        <li key={state} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-2.5 rounded-xs ${dots[state]}`} />
          {t(`chart.${state}`)}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span aria-hidden="true" className="size-2.5 rounded-xs border border-border bg-sunken" />
        {t('chart.none')}
      </li>
    </ul>
  )
}

const bounded = (index: number, count: number): number => Math.max(0, Math.min(count - 1, Math.floor(index)))
