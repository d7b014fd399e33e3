import type { MetricsSample, ServerMetrics } from '#shared/responses/server-metrics.ts'
import { metricInterval } from '#shared/rules/metric-ranges.ts'
import { formatBytes, formatPercent } from '#web/lib/i18n/format.ts'
import { numberFormat } from '#web/lib/i18n/number-format.ts'
import { t } from './messages.ts'

/** A line of a graph. */
export interface Series {
  readonly label: string
  /** For each slot; null where nothing was measured. */
  readonly values: readonly (number | null)[]
}

/** A graph. */
export interface MetricChart {
  readonly id: 'cpu' | 'load' | 'memory' | 'swap' | 'disk' | 'network'
  readonly title: string
  /** Beside the title: what full is. */
  readonly note: string
  readonly series: readonly Series[]
  /** Highest value of the axis. */
  readonly top: number
  readonly format: (value: number) => string
}

/** The samples of a range, as graphs show them. */
export interface Metrics {
  /** Seconds since 1970 of each slot. */
  readonly times: readonly number[]
  /** Seconds that each slot stands for. */
  readonly interval: number
  readonly charts: readonly MetricChart[]
  /** Slots without a sample that are worth showing as such: first and last index. */
  readonly gaps: readonly (readonly [from: number, to: number])[]
  /** Index of the newest sample, of averages that of the newest whole unit; -1 if there is none. */
  readonly newest: number
}

/** Counters of samples that are further apart, in slots, say nothing about a moment. */
const longestStep = 3

/** The samples as graphs. `cores`: of the server, if known. */
export function metricsOf({ samples, interval }: ServerMetrics, cores: number | null | undefined): Metrics {
  const measured = samples.map((sample) => (sample.missing === 1 ? null : sample))
  const values = (read: (sample: MetricsSample) => number) => measured.map((sample) => sample && read(sample))
  // The last hour or day of averages is not over: how its counters grew until its end is unknown.
  const whole = interval > metricInterval ? measured.slice().fill(null, -1) : measured
  const isMeasured = (sample: MetricsSample | null) => sample !== null
  const newest = (whole.some(isMeasured) ? whole : measured).findLastIndex(isMeasured)
  const last = measured[newest]
  const chart = (
    id: MetricChart['id'],
    {
      note = '',
      top,
      format,
      series,
    }: Partial<Pick<MetricChart, 'note' | 'top'>> & {
      format: (value: number) => string
      series: readonly [Parameters<typeof t>[0], MetricChart['series'][number]['values']][]
    },
  ): MetricChart => ({
    id,
    title: t(`graphs.${id}`),
    note,
    series: series.map(([label, of]) => ({ label: t(label), values: of })),
    top: top ?? axisTop(series.flatMap(([, of]) => of)),
    format,
  })
  const load = [values(({ load: { m1 } }) => m1), values(({ load: { m5 } }) => m5), values(({ load: { m15 } }) => m15)]
  const [m1 = [], m5 = [], m15 = []] = load
  return {
    times: samples.map(({ timestamp }) => timestamp),
    interval,
    newest,
    gaps: gapsOf(measured),
    charts: [
      chart('cpu', {
        note: cores ? t('graphs.cpu_note', { count: cores }) : '',
        top: 100,
        format: formatPercent,
        series: [
          ['graphs.cpu_user', values(({ cpu }) => cpu.user)],
          ['graphs.cpu_total', values(({ cpu }) => cpu.total)],
        ],
      }),
      chart('load', {
        note: cores ? t('graphs.load_note', { count: numberFormat().format(cores) }) : '',
        top: loadTop(load.flat(), cores ?? 1),
        format: (value) => numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value),
        series: [
          ['graphs.load_m1', m1],
          ['graphs.load_m5', m5],
          ['graphs.load_m15', m15],
        ],
      }),
      chart('memory', {
        ...sizeOf(last?.memory.total),
        series: [
          ['graphs.memory_used', values(({ memory }) => memory.used)],
          ['graphs.memory_cached', values(({ memory }) => memory.total - memory.free)],
        ],
      }),
      chart('swap', {
        ...sizeOf(last?.swap.total, t('graphs.swap_none')),
        series: [['graphs.swap_used', values(({ swap }) => swap.used)]],
      }),
      chart('disk', {
        ...sizeOf(last?.disk.total),
        series: [['graphs.disk_used', values(({ disk }) => disk.used)]],
      }),
      chart('network', {
        note: last?.primary_interface ?? '',
        format: formatBits,
        series: [
          ['graphs.network_in', ratesOf(whole, interval, ({ network }) => network.rx_bytes * 8)],
          ['graphs.network_out', ratesOf(whole, interval, ({ network }) => network.tx_bytes * 8)],
        ],
      }),
    ],
  }
}

/** The axis ends where all cores are busy, unless there was more to do. */
function loadTop(values: readonly (number | null)[], cores: number): number {
  return values.every((value) => value === null || value <= cores) ? cores : axisTop(values)
}

function sizeOf(total: number | undefined, none = ''): { note: string; top: number; format: typeof formatBytes } {
  return { note: total ? formatBytes(total) : none, top: total || 1, format: formatBytes }
}

/** How fast a counter grew until each sample, a second; null after a gap, and where it began again with the machine. */
function ratesOf(
  measured: readonly (MetricsSample | null)[],
  interval: number,
  read: (sample: MetricsSample) => number,
): (number | null)[] {
  let before: MetricsSample | null = null
  return measured.map((sample) => {
    const from = before
    before = sample ?? before
    if (!sample || !from) return null
    const [grown, seconds] = [read(sample) - read(from), sample.timestamp - from.timestamp]
    return grown < 0 || seconds <= 0 || seconds > longestStep * interval ? null : grown / seconds
  })
}

/** Runs of slots without a sample. The last slots are none yet: their samples are on the way. */
function gapsOf(measured: readonly (MetricsSample | null)[]): (readonly [number, number])[] {
  const gaps: (readonly [number, number])[] = []
  let start: number | null = null
  for (const [at, sample] of measured.entries()) {
    if (sample === null) start ??= at
    else if (start !== null) {
      gaps.push([start, at - 1])
      start = null
    }
  }
  if (start !== null && measured.length - start > 2) gaps.push([start, measured.length - 1])
  return gaps
}

/** The highest value of an axis: 1, 2 or 5 times a power of ten. */
export function axisTop(values: readonly (number | null)[]): number {
  const most = values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0)
  if (most <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return power * ([1, 2, 5].find((factor) => factor * power >= most) ?? 10)
}

const bitUnits = ['graphs.bits', 'graphs.kilobits', 'graphs.megabits', 'graphs.gigabits'] as const

/** Bits a second in steps of 1000: "11 Mbit/s". */
export function formatBits(perSecond: number): string {
  let [value, unit] = [perSecond, 0]
  while (value >= 999.5 && unit < bitUnits.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = value < 9.95 && unit > 0 ? 1 : 0
  return t(bitUnits[unit] ?? 'graphs.bits', {
    number: numberFormat({ maximumFractionDigits: digits }).format(value),
  })
}
