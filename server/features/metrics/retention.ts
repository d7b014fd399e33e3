import { sql } from 'kysely'
import type { Documents } from '#server/contracts/documents.ts'
import type { Sweep } from '#server/contracts/schedule.ts'
import type { Trx } from '#server/contracts/transaction.ts'
import type { Clock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import {
  createPartitions,
  dailyDays,
  daysBefore,
  hourlyDays,
  partitions,
  sampleDays,
  startOfDay,
  type Partition,
} from './metrics-tables.ts'
import { averageOfAverages, averageOfSamples, sampleNames } from './sample-columns.ts'

/**
 * What is too old becomes coarser: samples become averages of an hour, those averages of a day, which are deleted in the end.
 * Only whole days, after which nothing more is stored in them.
 */
export function metricsSweep(documents: () => Documents, clock: Clock): Sweep {
  const transaction = <T>(work: (trx: Trx) => Promise<T>) =>
    documents().transaction(systemSession('schedule'), async ({ trx }) => {
      // A day of thousands of servers is more than the statements of requests may read.
      await sql`set local statement_timeout = '60s'`.execute(trx)
      return work(trx)
    })
  return {
    name: 'servers.metrics',
    everySeconds: 3600,
    async run() {
      const now = clock.now()
      const existing = await transaction(async (trx) => {
        await createPartitions(trx, now)
        return partitions(trx)
      })
      let deleted = 0
      for (const partition of existing)
        if (partition.day < startOfDay(now) - sampleDays * 86_400_000)
          deleted += await transaction((trx) => rollUpDay(trx, partition))
      return deleted + (await transaction((trx) => rollUpHours(trx, now)))
    },
  }
}

/** Replaces the samples of a day by averages of its hours. Returns the number of samples. */
async function rollUpDay(trx: Trx, { table }: Partition): Promise<number> {
  const { rows } = await sql<{ samples: number }>`
    with hours as (
      insert into easydash_server_metrics_hourly (server, at, samples, ${sampleNames})
      select m.server, date_trunc('hour', m.slot) as hour, count(*), ${averageOfSamples}
      from ${sql.table(table)} m join tab_server on tab_server.name = m.server
      group by m.server, hour
      on conflict do nothing returning samples
    )
    select coalesce(sum(samples), 0)::int as samples from hours`.execute(trx)
  await sql`drop table ${sql.table(table)}`.execute(trx)
  return rows[0]?.samples ?? 0
}

/** Replaces old averages of hours by averages of days, and deletes those that are too old. Returns the number of rows. */
async function rollUpHours(trx: Trx, now: number): Promise<number> {
  const { rows } = await sql<{ hours: number }>`
    with old as (
      delete from easydash_server_metrics_hourly where at < ${daysBefore(now, hourlyDays)}::timestamp returning *
    ), days as (
      insert into easydash_server_metrics_daily (server, at, samples, ${sampleNames})
      select server, date_trunc('day', at) as day, sum(samples), ${averageOfAverages} from old group by server, day
      on conflict do nothing
    )
    select count(*)::int as hours from old`.execute(trx)
  const days = await sql`delete from easydash_server_metrics_daily
    where at < ${daysBefore(now, dailyDays)}::timestamp`.execute(trx)
  return (rows[0]?.hours ?? 0) + Number(days.numAffectedRows ?? 0n)
}
