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
  const { total, buckets } = await readBuckets(tx, site, { from, until: to + 1, bucket })
  return uptime.parse({
    range,
    from,
    to,
    bucket_seconds: bucket,
    buckets,
    totals: { ...total, availability: availabilityOf(total) },
    incidents: await incidentsSince(tx, site, from),
  })
}

/** The same in slots as the metrics of servers have, so that both can be laid over each other. The last one is that of now. */
export async function readUptimeSamples(tx: Tx, site: string, range: MetricRange, now: number): Promise<UptimeSamples> {
  const until = (Math.floor(now / 1000 / metricInterval) + 1) * metricInterval
  const from = until - metricRanges[range] * metricInterval
  const { total, buckets } = await readBuckets(tx, site, { from, until, bucket: metricInterval })
  const byStart = new Map(buckets.map((bucket) => [bucket['at'], bucket]))
  return uptimeSamples.parse({
    interval: metricInterval,
    samples: Array.from({ length: metricRanges[range] }, (_, at) => {
      const timestamp = from + at * metricInterval
      const found = byStart.get(timestamp)
      const status = (['down', 'slow', 'up', 'asleep'] as const).find((state) => Number(found?.[state] ?? 0) > 0)
      return { timestamp, status: status ?? null, ms: found?.['median_ms'] ?? null, missing: status ? 0 : 1 }
    }),
    availability: availabilityOf(total),
    incidents: (await incidentsSince(tx, site, from)).map(({ started, ended, reason }) => ({
      ...{ started, ended, cause: reason },
    })),
  })
}

/** The checks of a site in intervals of `bucket` seconds, oldest first, and all of them together; the times are seconds since 1970. */
async function readBuckets(
  tx: Tx,
  site: string,
  { from, until, bucket }: { readonly from: number; readonly until: number; readonly bucket: number },
): Promise<{ total: Readonly<Record<string, unknown>>; buckets: readonly Readonly<Record<string, unknown>>[] }> {
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
      and at < to_timestamp(${until}) at time zone 'UTC'
    group by grouping sets ((1), ()) order by 1 nulls first`.execute(tx.trx)
  const [total, ...buckets] = rows
  const { at: _at, ...all } = total ?? {}
  return { total: all, buckets }
}

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
