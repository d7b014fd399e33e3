import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Server } from '#shared/doctypes/server.ts'
import type { MetricsSample, ServerMetrics } from '#shared/responses/server-metrics.ts'
import { metricInterval, metricRanges, type MetricRange } from '#shared/rules/metric-ranges.ts'
import { numbersOf, sampleColumns } from './sample-columns.ts'
import { slotOf } from './store-samples.ts'

const names = sql.raw(sampleColumns.map(({ name }) => name).join(', '))

/** The samples of a server in a range that ends at `now` (milliseconds since 1970). */
export async function readMetrics(
  tx: Tx,
  { name, hostname }: Pick<Server, 'name' | 'hostname'>,
  range: MetricRange,
  now: number,
): Promise<ServerMetrics> {
  const last = slotOf(now / 1000)
  const first = last - (metricRanges[range] - 1) * metricInterval
  const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19)
  const { rows } = await sql<Record<string, unknown> & { slot: number; timestamp: number; primary_interface: string }>`
    select extract(epoch from slot)::bigint as slot, extract(epoch from at)::bigint as timestamp, primary_interface, ${names}
    from easydash_server_sample
    where server = ${name} and slot >= ${time(first)}::timestamp and slot <= ${time(last)}::timestamp`.execute(tx.trx)
  const bySlot = new Map(
    rows.map((row): [number, MetricsSample] => {
      const { slot, timestamp, primary_interface } = row
      return [slot, { timestamp, instance: hostname, primary_interface, ...numbersOf(row), missing: 0 }]
    }),
  )
  return {
    interval: metricInterval,
    samples: Array.from({ length: metricRanges[range] }, (_, at) => {
      const slot = first + at * metricInterval
      return bySlot.get(slot) ?? { timestamp: slot, missing: 1 }
    }),
  }
}
