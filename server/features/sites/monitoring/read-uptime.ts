import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Tx } from '#server/contracts/transaction.ts'
import { mostIncidents, uptime, uptimeSamples, type Uptime, type UptimeSamples } from '#shared/responses/uptime.ts'
import { metricInterval, metricRanges, type MetricRange } from '#shared/rules/metric-ranges.ts'
import { uptimeRanges, type UptimeRange } from '#shared/rules/uptime.ts'

/** What the checks of a site found in a range that ends at `now` (milliseconds since 1970). */
export async function readUptime(tx: Tx, site: string, range: UptimeRange, now: number): Promise<Uptime> {
  const { seconds, bucket } = uptimeRanges[range]
  const to = Math.floor(now / 1000)
  const from = Math.floor((to - seconds) / bucket) * bucket
  const { rows } = await sql<Record<string, unknown>>`
    select (floor(extract(epoch from at) / ${bucket}::int) * ${bucket}::int)::int as at,
      count(*) filter (where state = 'up')::int as up,
      count(*) filter (where state = 'slow')::int as slow,
      count(*) filter (where state = 'down')::int as down,
      count(*) filter (where state = 'asleep')::int as asleep,
      count(*) filter (where state = 'paused')::int as paused,
      percentile_cont(0.5) within group (order by total_ms) filter (where state in ('up', 'slow')) as median_ms,
      percentile_cont(0.95) within group (order by total_ms) filter (where state in ('up', 'slow')) as p95_ms,
      percentile_cont(0.5) within group (order by ttfb_ms) filter (where state in ('up', 'slow')) as ttfb_ms
    from easydash_site_uptime
    where site = ${site} and at >= to_timestamp(${from}) at time zone 'UTC'
      and at <= to_timestamp(${to + 1}) at time zone 'UTC'
    group by grouping sets ((1), ()) order by 1 nulls first`.execute(tx.trx)
  const [total, ...buckets] = rows
  const { at: _at, ...counts } = total ?? {}
  return uptime.parse({
    range,
    from,
    to,
    bucket_seconds: bucket,
    buckets,
    totals: { ...counts, availability: availabilityOf(counts) },
    incidents: await incidentsSince(tx, site, from),
  })
}

/** The same in slots as the metrics of servers have, so that both can be laid over each other. The last one is that of now. */
export async function readUptimeSamples(tx: Tx, site: string, range: MetricRange, now: number): Promise<UptimeSamples> {
  const last = Math.floor(now / 1000 / metricInterval) * metricInterval
  const first = last - (metricRanges[range] - 1) * metricInterval
  const { rows } = await sql<Record<string, unknown>>`
    select (floor(extract(epoch from at) / ${metricInterval}::int) * ${metricInterval}::int)::int as timestamp,
      count(*) filter (where state = 'up')::int as up,
      count(*) filter (where state = 'slow')::int as slow,
      count(*) filter (where state = 'down')::int as down,
      count(*) filter (where state = 'asleep')::int as asleep,
      percentile_cont(0.5) within group (order by total_ms) filter (where state in ('up', 'slow')) as ms
    from easydash_site_uptime
    where site = ${site} and at >= to_timestamp(${first}) at time zone 'UTC'
      and at < to_timestamp(${last + metricInterval}) at time zone 'UTC'
    group by 1`.execute(tx.trx)
  const slots = z.array(slot).parse(rows)
  const bySlot = new Map(slots.map((one) => [one.timestamp, one]))
  const all = { up: 0, slow: 0, down: 0 }
  for (const one of slots) for (const state of ['up', 'slow', 'down'] as const) all[state] += one[state]
  return uptimeSamples.parse({
    interval: metricInterval,
    samples: Array.from({ length: metricRanges[range] }, (_, at) => {
      const timestamp = first + at * metricInterval
      const one = bySlot.get(timestamp)
      const status = one && (['down', 'slow', 'up', 'asleep'] as const).find((state) => one[state] > 0)
      return { timestamp, status: status ?? null, ms: one?.ms ?? null, missing: status === undefined ? 1 : 0 }
    }),
    availability: availabilityOf(all),
    incidents: (await incidentsSince(tx, site, first)).map(({ started, ended, reason }) => ({
      ...{ started, ended, cause: reason },
    })),
  })
}

const slot = z.object({
  timestamp: z.number(),
  up: z.number(),
  slow: z.number(),
  down: z.number(),
  asleep: z.number(),
  ms: z.nullable(z.number()),
})

const checks = z.object({ up: z.number(), slow: z.number(), down: z.number() })

/** The share of checks that got an answer; null if there were none. */
function availabilityOf(counts: Readonly<Record<string, unknown>>): number | null {
  const { up, slow, down } = checks.parse(counts)
  const all = up + slow + down
  return all === 0 ? null : (up + slow) / all
}

/** Incidents of a site that went on at this time (seconds since 1970) or started later, newest first. */
async function incidentsSince(tx: Tx, site: string, from: number): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await sql<Record<string, unknown>>`
    select to_char(started, 'YYYY-MM-DD HH24:MI:SS.US') as started,
      to_char(ended, 'YYYY-MM-DD HH24:MI:SS.US') as ended, reason, reason_i18n, change
    from easydash_site_incident
    where site = ${site} and (ended is null or ended >= to_timestamp(${from}) at time zone 'UTC')
    order by easydash_site_incident.started desc limit ${mostIncidents}`.execute(tx.trx)
  return rows
}
