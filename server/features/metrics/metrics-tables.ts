import { sql } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'
import { alertTables } from './alerts/alert-tables.ts'
import { sampleColumns } from './sample-columns.ts'

/** How long samples are kept, in whole days before the current one: the graphs show seven of them. */
export const sampleDays = 8
/** How long averages of an hour are kept, in days. */
export const hourlyDays = 90
/** How long averages of a day are kept, in days. */
export const dailyDays = 730
/** Partitions that exist in advance, in days: should the sweep fail for a while, samples are still stored. */
const daysAhead = 3

const dayMs = 86_400_000

const numbers = sql.raw(sampleColumns.map(({ name, type }) => `${name} ${type} not null`).join(', '))

/**
 * Creates the tables of samples, if they are missing (part of the additive migration, after the document tables). Samples are in
 * a partition for each day, so that old ones go without being looked for; where the database has TimescaleDB, in a hypertable
 * whose chunks are those partitions. They have no foreign key: making and dropping a partition would lock the table of servers.
 * Averages of hours and days outlive the samples.
 */
export async function metricsTables(trx: Trx): Promise<void> {
  const timescale = await hasTimescale(trx)
  await sql`create table if not exists easydash_server_sample (
    server text not null,
    slot timestamp(0) not null,
    at timestamp(0) not null,
    primary_interface text not null,
    ${numbers},
    primary key (server, slot)) ${timescale ? sql`` : sql`partition by range (slot)`}`.execute(trx)
  // A table that was there before the extension keeps its partitions.
  if (timescale && !(await isPartitioned(trx)))
    await sql`select create_hypertable('easydash_server_sample', 'slot', chunk_time_interval => interval '1 day',
      create_default_indexes => false, if_not_exists => true)`.execute(trx)
  for (const period of ['hourly', 'daily']) {
    const table = `easydash_server_metrics_${period}`
    await sql`create table if not exists ${sql.id(table)} (
      server text not null references tab_server (name) on delete cascade,
      at timestamp(0) not null,
      samples integer not null,
      ${numbers},
      primary key (server, at))`.execute(trx)
    await sql`create index if not exists ${sql.id(`${table}_at`)} on ${sql.id(table)} (at)`.execute(trx)
  }
  await createPartitions(trx, Date.now())
  await alertTables(trx)
}

/** Creates the partitions in which samples can be stored at this time (milliseconds since 1970), if they are missing. */
export async function createPartitions(trx: Trx, now: number): Promise<void> {
  // TimescaleDB creates chunks when something is stored in them.
  if (!(await isPartitioned(trx))) return
  const existing = new Set((await partitions(trx)).map(({ table }) => table))
  const today = startOfDay(now)
  for (let day = today - sampleDays * dayMs; day <= today + daysAhead * dayMs; day += dayMs) {
    const table = partitionOf(day)
    if (existing.has(table)) continue
    await sql`create table if not exists ${sql.id(table)} partition of easydash_server_sample
      for values from (${sql.lit(dateOf(day))}) to (${sql.lit(dateOf(day + dayMs))})`.execute(trx)
  }
}

/** A partition, with its schema where it needs one, and the first moment of its day in milliseconds since 1970. */
export interface Partition {
  readonly table: string
  readonly day: number
}

/** The partitions of samples, or the chunks of their hypertable, oldest first. */
export async function partitions(trx: Trx): Promise<Partition[]> {
  if (!(await isPartitioned(trx))) {
    const { rows } = await sql<Partition>`select chunk_schema || '.' || chunk_name as table,
      (extract(epoch from range_start) * 1000)::float8 as day
      from timescaledb_information.chunks where hypertable_name = 'easydash_server_sample' order by 2`.execute(trx)
    return rows
  }
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'easydash_server_sample'::regclass order by 1`.execute(trx)
  return rows.map(({ name }) => ({ table: name, day: Date.parse(name.slice(-10).replaceAll('_', '-')) }))
}

async function hasTimescale(trx: Trx): Promise<boolean> {
  const { rows } = await sql`select from pg_proc
    where proname = 'create_hypertable' and pg_function_is_visible(oid)`.execute(trx)
  return rows.length > 0
}

async function isPartitioned(trx: Trx): Promise<boolean> {
  const { rows } = await sql`select from pg_class
    where oid = 'easydash_server_sample'::regclass and relkind = 'p'`.execute(trx)
  return rows.length > 0
}

/** The first moment of a day (UTC), in milliseconds since 1970. */
export const startOfDay = (ms: number): number => Math.floor(ms / dayMs) * dayMs

/** First moment of the day that is so many days earlier, as stored. */
export const daysBefore = (now: number, days: number): string => dateOf(startOfDay(now) - days * dayMs)

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const partitionOf = (day: number): string => `easydash_server_sample_${dateOf(day).replaceAll('-', '_')}`
