import { uPlot } from './load-uplot.ts'
import { metricInterval } from '#shared/rules/metric-ranges.ts'
import { timeZone } from '#web/lib/i18n/locale.ts'
import type { MetricChart, Metrics } from './metric-charts.ts'
import { axisTime } from './metric-times.ts'

/** Space for the labels of the axis at the right. */
export const axisWidth = 74

/** What a graph is drawn with. */
export interface PlotInput extends Pick<Metrics, 'times' | 'gaps'> {
  readonly chart: MetricChart
  /** Times at the left and right end, in seconds since 1970. */
  readonly span: readonly [from: number, to: number]
  /** Times of events. */
  readonly marks: readonly number[]
  /** Index of the slot that the pointer is at; null when it leaves. */
  readonly onPoint: (index: number | null) => void
  /** Null: the whole range again. */
  readonly onZoom: (span: readonly [number, number] | null) => void
}

/** Shortest time that can be zoomed to, in seconds. */
export const shortestSpan = 3 * metricInterval

/** A color of the theme. */
type Color = 'c1' | 'c2' | 'c3' | 'c1-area' | 'grid' | 'm-quiet' | 'track' | 'muted' | 'surface'

/** Colors of the lines, first to last. */
export const lineColors = ['c1', 'c2', 'c3'] as const satisfies readonly Color[]

/** Options of uPlot for a graph in the colors of the current theme. */
export function plotOptions(input: PlotInput, width: number, height: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const color = (name: Color) => style.getPropertyValue(`--${name}`).trim() || 'gray'
  const { chart, span, onPoint, onZoom } = input
  const font = `11px ${style.fontFamily || 'sans-serif'}`
  const axis = { stroke: color('muted'), font, ticks: { show: false } }
  return {
    width,
    height,
    tzDate: (seconds) => {
      const date = new Date(seconds * 1000)
      return timeZone === undefined ? date : uPlot.tzDate(date, timeZone)
    },
    legend: { show: false },
    padding: [8, 0, 0, 0],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 11, width: 2, stroke: () => color('surface'), fill: (_plot, at) => color(colorOf(at)) },
      bind: {
        dblclick: () => () => {
          onZoom(null)
          return null
        },
      },
    },
    scales: { x: { min: span[0], max: span[1] }, y: { range: [0, chart.top] } },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 6,
        grid: { show: false },
        // One at the left end would be cut off.
        values: (plot, splits, _axis, _space, apart) =>
          splits.map((at) => (plot.valToPos(at, 'x') < 20 ? '' : axisTime(at, apart))),
      },
      {
        ...axis,
        side: 1,
        size: axisWidth,
        gap: 8,
        grid: { stroke: color('grid'), width: 1 },
        splits: () => [0, chart.top / 2, chart.top],
        values: (_plot, splits) => splits.map(chart.format),
      },
    ],
    series: [
      {},
      ...chart.series.map(({ label }, at) => ({
        label,
        stroke: color(colorOf(at + 1)),
        width: 1.5,
        ...(at === 0 ? { fill: color('c1-area') } : {}),
        points: { show: false },
      })),
    ],
    hooks: {
      drawAxes: [
        (plot) => {
          hatchGaps(plot, input, color('track'))
          drawMarks(plot, input, color('m-quiet'))
        },
      ],
      setCursor: [
        ({ cursor }) => {
          // A new graph reports that it has no crosshair.
          if (cursor.event) onPoint(cursor.idx ?? null)
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width: selected } = plot.select
          if (selected === 0) return
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          const [from, to] = [plot.posToVal(left, 'x'), plot.posToVal(left + selected, 'x')]
          if (to - from >= shortestSpan) onZoom([from, to])
        },
      ],
    },
  }
}

const colorOf = (series: number): Color => lineColors[series - 1] ?? 'c1'

/** Stripes where samples are missing. */
function hatchGaps({ ctx, bbox, valToPos }: uPlot, { gaps, times }: PlotInput, color: string): void {
  ctx.save()
  ctx.strokeStyle = color
  ctx.lineWidth = uPlot.pxRatio
  for (const [from, to] of gaps) {
    // From the sample before to the one after.
    const left = Math.max(bbox.left, valToPos(times[from - 1] ?? times[from] ?? 0, 'x', true))
    const right = Math.min(bbox.left + bbox.width, valToPos(times[to + 1] ?? times[to] ?? 0, 'x', true))
    if (right <= left) continue
    ctx.save()
    ctx.beginPath()
    ctx.rect(left, bbox.top, right - left, bbox.height)
    ctx.clip()
    ctx.beginPath()
    for (let x = left - bbox.height; x < right; x += 5 * uPlot.pxRatio) {
      ctx.moveTo(x, bbox.top + bbox.height)
      ctx.lineTo(x + bbox.height, bbox.top)
    }
    ctx.stroke()
    ctx.restore()
  }
  ctx.restore()
}

/** A dashed line at each event. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, { marks, span }: PlotInput, color: string): void {
  ctx.save()
  ctx.strokeStyle = color
  ctx.lineWidth = uPlot.pxRatio
  ctx.setLineDash([3 * uPlot.pxRatio, 3 * uPlot.pxRatio])
  ctx.beginPath()
  for (const at of marks.filter((time) => time >= span[0] && time <= span[1])) {
    const x = Math.round(valToPos(at, 'x', true)) + 0.5
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
  }
  ctx.stroke()
  ctx.restore()
}
