import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Server } from '#shared/doctypes/server.ts'
import type { MetricsSample, ServerMetrics } from '#shared/responses/server-metrics.ts'
import {
  averageRanges,
  metricInterval,
  metricRanges,
  type MetricRange,
  type ServerRange,
} from '#shared/rules/metric-ranges.ts'
import { averageOfAverages, averageOfSamples, numbersOf, sampleNames } from './sample-columns.ts'

type Row = Readonly<Record<string, unknown>> & {
  readonly slot: number
  readonly timestamp: number
  readonly primary_interface: string
}

/** The samples of a server in a range that ends at `now` (milliseconds since 1970), or their averages. */
export async function readMetrics(
  tx: Tx,
  { name, hostname }: Pick<Server, 'name' | 'hostname'>,
  range: ServerRange,
  now: number,
): Promise<ServerMetrics> {
  const { interval, slots } = slotsOf(range)
  const last = Math.floor(now / 1000 / interval) * interval
  const first = last - (slots - 1) * interval
  const rows = isOfAverages(range)
    ? await readAverages(tx, name, averageRanges[range].unit, timeOf(first))
    : await readSamples(tx, name, timeOf(first), timeOf(last))
  const bySlot = new Map(
    rows.map((row): [number, MetricsSample] => {
      const { slot, timestamp, primary_interface } = row
      return [slot, { timestamp, instance: hostname, primary_interface, ...numbersOf(row), missing: 0 }]
    }),
  )
  return {
    interval,
    samples: Array.from({ length: slots }, (_, at) => {
      const slot = first + at * interval
      return bySlot.get(slot) ?? { timestamp: slot, missing: 1 }
    }),
  }
}

const isOfAverages = (range: ServerRange): range is keyof typeof averageRanges => Object.hasOwn(averageRanges, range)

function slotsOf(range: ServerRange): { interval: number; slots: number } {
  if (!isOfAverages(range)) return { interval: metricInterval, slots: metricRanges[range satisfies MetricRange] }
  const { seconds, slots } = averageRanges[range]
  return { interval: seconds, slots }
}

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19)

async function readSamples(tx: Tx, server: string, first: string, last: string): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select extract(epoch from slot)::bigint as slot, extract(epoch from at)::bigint as timestamp, primary_interface,
      ${sampleNames}
    from easydash_server_sample
    where server = ${server} and slot >= ${first}::timestamp and slot <= ${last}::timestamp`.execute(tx.trx)
  return rows
}

/** Averages of whole units since `first`: what is older than the samples has become averages already (`metricsSweep`). */
async function readAverages(tx: Tx, server: string, unit: 'hour' | 'day', first: string): Promise<readonly Row[]> {
  const daily = sql`union all
    select at, samples, ${sampleNames} from easydash_server_metrics_daily
    where server = ${server} and at >= ${first}::timestamp`
  const { rows } = await sql<Row>`
    with part as (
      select date_trunc(${unit}, m.slot) as at, count(*) as samples, ${averageOfSamples}
      from easydash_server_sample m where m.server = ${server} and m.slot >= ${first}::timestamp group by 1
      union all
      select date_trunc(${unit}, at), sum(samples), ${averageOfAverages}
      from easydash_server_metrics_hourly where server = ${server} and at >= ${first}::timestamp group by 1
      ${unit === 'day' ? daily : sql``}
    )
    select extract(epoch from at)::bigint as slot, extract(epoch from at)::bigint as timestamp, '' as primary_interface,
      ${averageOfAverages}
    from part group by at`.execute(tx.trx)
  return rows
}
