import 'uplot/dist/uPlot.min.css'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { uPlot } from './load-uplot.ts'
import { useTheme } from '#web/lib/browser/theme.ts'
import { Card } from '#web/ui/card.tsx'
import { t } from './messages.ts'
import { timeText } from './metric-times.ts'
import { lineColors, plotOptions, type PlotInput } from './plot-options.ts'

const height = 152

const swatches = { c1: 'bg-c1', c2: 'bg-c2', c3: 'bg-c3' } as const

/** One graph with its values at the crosshair, or the newest ones. */
export function MetricChartCard({
  input,
  index,
  newest,
}: {
  /** A new object redraws the graph. */
  input: PlotInput
  /** Slot of the crosshair; null: there is none. */
  index: number | null
  newest: number
}) {
  const { chart, span } = input
  const shown = index ?? newest
  return (
    <Card className="pb-1">
      <div className="flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 px-4 pt-2">
        <h2>{chart.title}</h2>
        {/* That of the network is the name of an interface. */}
        <span className="text-meta text-muted max-md:hidden" translate={chart.id === 'network' ? 'no' : 'yes'}>
          {chart.note}
        </span>
        <span className="ml-auto flex flex-wrap justify-end gap-x-3.5 gap-y-1 text-meta">
          {chart.series.map(({ label, values }, at) => {
            const value = values[shown] ?? null
            return (
              <span key={label} className="inline-flex items-center gap-1.5 whitespace-nowrap text-muted">
                <span aria-hidden="true" className={`h-0.5 w-2 rounded-[1px] ${swatches[lineColors[at] ?? 'c1']}`} />
                {label} <b className="font-medium text-fg">{value === null ? t('graphs.none') : chart.format(value)}</b>
              </span>
            )
          })}
        </span>
      </div>
      <div
        role="img"
        aria-label={t('graphs.label', { title: chart.title, from: timeText(span[0]), to: timeText(span[1]) })}
        className="pl-4"
      >
        <Plot input={input} index={index} />
      </div>
    </Card>
  )
}

function Plot({ input, index }: { input: PlotInput; index: number | null }) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const { dark } = useTheme()
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [])
  // Made anew with other data, size or colors: drawing costs the same.
  useLayoutEffect(() => {
    const element = box.current
    if (!element || width === 0) return
    const data = [input.times, ...input.chart.series.map(({ values }) => values)] as uPlot.AlignedData
    const made = new uPlot(plotOptions(input, width, height), data, element)
    plot.current = made
    return () => {
      plot.current = null
      made.destroy()
    }
  }, [input, width, dark])
  useEffect(() => {
    const { current } = plot
    if (!current) return
    const at = index === null ? undefined : input.times[index]
    // A new graph has its scales after the microtask that draws it.
    queueMicrotask(() => {
      if (plot.current !== current) return
      const left = at === undefined ? -10 : current.valToPos(at, 'x')
      current.setCursor({ left, top: left < 0 ? -10 : height / 2 }, false)
    })
  }, [input, index, width, dark])
  return <div ref={box} style={{ height }} />
}
