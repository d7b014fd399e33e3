import { expect, test, vi } from 'vitest'
import type { MetricsSample, ServerMetrics } from '#shared/responses/server-metrics.ts'
import { axisTop, formatBits, metricsOf } from './metric-charts.ts'
import { timeText } from './metric-times.ts'
import { measuredAt, missingAt } from './samples-fixture.ts'
import { samplesCsv } from './samples-csv.ts'

const start = 1_800_000_000
const graphsOf = (samples: ServerMetrics['samples'], cores: number | null) =>
  metricsOf({ samples, interval: 300 }, cores)
const counted = (slot: number, rx_bytes: number): MetricsSample => {
  const sample = measuredAt(start + slot * 300)
  return { ...sample, network: { ...sample.network, rx_bytes } }
}

test('traffic is how fast the counters grew, and unknown after a gap or a restart', () => {
  const samples = [
    counted(0, 1_000_000),
    counted(1, 1_375_000),
    missingAt(start + 600),
    counted(3, 2_125_000),
    ...[4, 5, 6].map((slot) => missingAt(start + slot * 300)),
    counted(7, 9_000_000),
    counted(8, 100),
    counted(9, 375_100),
  ]
  const network = graphsOf(samples, 2).charts.find(({ id }) => id === 'network')
  expect(network?.series[0]?.values).toEqual([null, 10_000, null, 10_000, null, null, null, null, null, 10_000])
})

test('traffic between averages is known, too, but not in the hour that is not over: the newest values are those before it', () => {
  const bytes = 12 * 1_125_000
  const hourly = [0, 1, 2, 2.1].map((hours, at) => counted(at * 12, hours * bytes))
  const hours = (samples: ServerMetrics['samples']) => metricsOf({ samples, interval: 3600 }, 2)
  const { charts, newest } = hours(hourly)
  expect(charts.find(({ id }) => id === 'network')?.series[0]?.values).toEqual([null, 30_000, 30_000, null])
  expect([newest, charts[0]?.series[0]?.values[3]]).toEqual([2, hourly[3]?.cpu.user])
  expect(hours([missingAt(start), counted(12, 0)]).newest).toBe(1)
})

test('gaps are between samples and before them; the newest slots are not one yet', () => {
  const [yes, no] = [(slot: number) => measuredAt(start + slot * 300), (slot: number) => missingAt(start + slot * 300)]
  expect(graphsOf([no(0), yes(1), no(2), no(3), yes(4), no(5), no(6)], 2)).toMatchObject({
    gaps: [
      [0, 0],
      [2, 3],
    ],
    newest: 4,
  })
  expect(graphsOf([yes(0), no(1), no(2), no(3)], 2).gaps).toEqual([[1, 3]])
  expect(graphsOf([no(0), no(1)], null)).toMatchObject({ newest: -1 })
})

test('axes end at what is full, else at a round number', () => {
  const { charts } = graphsOf([measuredAt(start)], 4)
  const busy = { ...measuredAt(start), load: { m1: 6, m5: 5, m15: 4 } }
  expect(graphsOf([busy], 4).charts[1]?.top).toBe(10)
  expect(charts.map(({ id, top }) => [id, top])).toEqual([
    ['cpu', 100],
    ['load', 4],
    ['memory', 8e9],
    ['swap', 1],
    ['disk', 8e10],
    ['network', 1],
  ])
  expect([axisTop([]), axisTop([null, 0]), axisTop([1.2]), axisTop([30, 70])]).toEqual([1, 1, 2, 100])
  expect([0, 999, 12_345, 11_400_000, 2.5e9].map(formatBits)).toEqual([
    '0 bit/s',
    '999 bit/s',
    '12 kbit/s',
    '11 Mbit/s',
    '2.5 Gbit/s',
  ])
})

test('CSV has a row for each sample with all of its values, and no formula', () => {
  const sample = { ...measuredAt(start), primary_interface: '=eth0' }
  const [head, row, end] = samplesCsv([missingAt(start - 300), sample]).split('\r\n')
  expect(head?.split(',')).toHaveLength(32)
  expect(head).toMatch(/^\uFEFFtime,timestamp,instance,primary_interface,load\.m1,.*,cpu\.total,.*network\.tx_dropped/)
  expect(row).toMatch(/^2027-01-15T08:00:00\.000Z,1800000000,web-1,'=eth0,0\.5,/)
  expect(end).toBe('')
})

test('uPlot finds a language that Intl takes, also on systems that report another', async () => {
  vi.spyOn(navigator, 'language', 'get').mockReturnValue('en-US@posix')
  expect(() => new Intl.NumberFormat(navigator.language)).toThrow(RangeError)
  await import('./navigator-language.ts')
  expect(navigator.language).toBe('en-US')
  Reflect.deleteProperty(navigator, 'language')
  vi.restoreAllMocks()
})

test('an average of a day has the day of UTC that it is of, in every time zone', () => {
  const day = Date.UTC(2026, 10, 26) / 1000
  expect(timeText(day, 86_400)).toBe('Nov 26, 2026')
  expect(timeText(day, 3600)).toMatch(/^Nov \d+, 2026, \d/)
})
