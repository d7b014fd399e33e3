import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { metricInterval } from '#shared/rules/metric-ranges.ts'
import type { AlertSettings, SampledMetric } from '#shared/rules/alert-rules.ts'
import { slotOf } from '../store-samples.ts'
import type { Finding } from './finding.ts'

/** A rule with the server that it is asked about. */
export interface AskedRule extends Pick<AlertSettings, 'threshold' | 'minutes'> {
  readonly server: string
  readonly metric: SampledMetric
  /** Processors of the server. */
  readonly cpu: number
}

/** Samples that a hold time covers. */
export const slotsOf = (minutes: number): number => Math.max(1, Math.ceil((minutes * 60) / metricInterval))

/** What the samples of a hold time say; `above`: how many of those that are `present`. */
export interface SampledWindow {
  readonly slots: number
  readonly present: number
  readonly above: number
}

/**
 * All samples above the threshold: firing; none: fine. Where some are above, nothing changes. One that is missing could have been
 * either, so nothing is known.
 */
export function verdictOf({ slots, present, above }: SampledWindow): Finding['verdict'] {
  if (present < slots) return 'unknown'
  return above === slots ? 'firing' : above === 0 ? 'fine' : 'mixed'
}

interface WindowRow {
  readonly server: string
  readonly metric: SampledMetric
  readonly present: number
  readonly above: number
  readonly value: number | null
}

/**
 * Judges the newest samples of many servers in one query. Samples of servers that stopped sending them a while ago say nothing.
 * @param now milliseconds since 1970
 */
export async function sampledFindings(tx: Tx, rules: readonly AskedRule[], now: number): Promise<Finding[]> {
  if (rules.length === 0) return []
  const asked = rules.map((rule) => ({ ...rule, slots: slotsOf(rule.minutes) }))
  const time = (seconds: number) => formatTimestamp(seconds * 1000)
  const current = slotOf(now / 1000)
  const oldest = current - Math.max(...asked.map(({ slots }) => slots)) * metricInterval
  const { rows } = await sql<WindowRow>`
    with asked as (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
        as asked (server text, metric text, threshold double precision, slots int, cpu int)
    ), sample as materialized (
      select server, slot, max(slot) over (partition by server) as newest,
        cpu_total, memory_percent, disk_percent, swap_percent, load_m5
      from easydash_server_sample
      where slot >= ${time(oldest)}::timestamp and slot <= ${time(current)}::timestamp
        and server = any(array(select distinct server from asked))
    )
    select asked.server, asked.metric, count(*)::int as present,
      count(*) filter (where value > asked.threshold)::int as above,
      (array_agg(value order by slot desc))[1] as value
    from asked
    join sample on sample.server = asked.server
      and sample.newest >= ${time(current - metricInterval)}::timestamp
      and sample.slot > sample.newest - make_interval(secs => asked.slots * ${metricInterval}::int)
    cross join lateral (select (case asked.metric when 'cpu' then cpu_total when 'memory' then memory_percent
      when 'disk' then disk_percent when 'swap' then swap_percent
      else load_m5 / asked.cpu end)::double precision as value) measured
    group by asked.server, asked.metric`.execute(tx.trx)
  const found = new Map(rows.map((row) => [`${row.server} ${row.metric}`, row]))
  return asked.map(({ server, metric, slots }) => {
    const { present = 0, above = 0, value = null } = found.get(`${server} ${metric}`) ?? {}
    const rounded = value === null ? null : Math.round(value * 10) / 10
    return { server, metric, subject: '', verdict: verdictOf({ slots, present, above }), value: rounded }
  })
}
