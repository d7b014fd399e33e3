import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { SentSample } from '#shared/responses/server-metrics.ts'
import { metricInterval } from '#shared/rules/metric-ranges.ts'
import { columnsOf, sampleColumns, sampleNames } from './sample-columns.ts'

const typed = sql.raw(sampleColumns.map(({ name, type }) => `${name} ${type}`).join(', '))

/** Start of the slot of a time, both in seconds since 1970. */
export const slotOf = (seconds: number): number => Math.floor(seconds / metricInterval) * metricInterval

/**
 * Stores samples for each of the servers, in one statement. A slot that has a sample keeps it. The newest one stored is also
 * written to the server's own columns, without an event or a new `modified`, unless a transaction holds the server just then.
 * Returns the number of samples stored.
 */
export async function storeSamples(
  tx: Tx,
  servers: readonly string[],
  samples: readonly SentSample[],
): Promise<number> {
  const bySlot = new Map<number, SentSample>()
  for (const sample of samples) {
    const slot = slotOf(sample.timestamp)
    if (!bySlot.has(slot)) bySlot.set(slot, sample)
  }
  const rows = [...bySlot].map(([slot, sample]) => ({
    slot: formatTimestamp(slot * 1000),
    at: formatTimestamp(sample.timestamp * 1000),
    primary_interface: sample.primary_interface,
    ...columnsOf(sample),
  }))
  const { rows: result } = await sql<{ stored: number }>`
    with given as (
      select slot, at, primary_interface, ${sampleNames} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as given (slot timestamp, at timestamp, primary_interface text, ${typed})
    ), stored as (
      insert into easydash_server_sample (server, slot, at, primary_interface, ${sampleNames})
      select tab_server.name, given.* from given cross join tab_server where tab_server.name = any(${[...servers]})
      on conflict do nothing
      returning server, at, cpu_total, memory_percent, disk_percent, load_m1
    ), newest as (
      select distinct on (server) * from stored order by server, at desc
    ), unlocked as (
      select newest.* from newest join tab_server on tab_server.name = newest.server
      where metrics_at is null or metrics_at < newest.at
      for update of tab_server skip locked
    ), shown as (
      update tab_server set cpu_percent = unlocked.cpu_total::numeric, memory_percent = unlocked.memory_percent::numeric,
        disk_percent = unlocked.disk_percent::numeric, load_1 = unlocked.load_m1::numeric, metrics_at = unlocked.at
      from unlocked where tab_server.name = unlocked.server
    )
    select count(*)::int as stored from stored`.execute(tx.trx)
  return result[0]?.stored ?? 0
}
