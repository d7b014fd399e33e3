import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import { incidentsKeptSeconds, uptimeKeptSeconds, type UptimeState } from '#shared/rules/uptime.ts'

/** What one check found, or why there was none. */
export interface UptimeSample {
  readonly site: string
  /** Timestamp as in documents. */
  readonly at: string
  readonly state: UptimeState
  /** HTTP status; null without an answer. */
  readonly status: number | null
  readonly ttfbMs: number | null
  readonly totalMs: number | null
}

/**
 * Creates the tables of checks and incidents, if they are missing (part of the additive migration, after the document
 * tables). The key of samples serves the graphs, the index by time their deletion.
 */
export async function uptimeTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_site_uptime (
    site text not null references tab_site (name) on delete cascade,
    at timestamp(6) not null,
    state text not null,
    status smallint,
    ttfb_ms real,
    total_ms real,
    primary key (site, at))`.execute(trx)
  await sql`create index if not exists easydash_site_uptime_at on easydash_site_uptime (at)`.execute(trx)
  await sql`create table if not exists easydash_site_incident (
    site text not null references tab_site (name) on delete cascade,
    started timestamp(6) not null,
    ended timestamp(6),
    reason text not null,
    reason_i18n jsonb,
    change text,
    primary key (site, started))`.execute(trx)
  await sql`create unique index if not exists easydash_site_incident_open
    on easydash_site_incident (site) where ended is null`.execute(trx)
  await sql`create index if not exists easydash_site_incident_ended on easydash_site_incident (ended)`.execute(trx)
}

/** Stores samples in one statement. Sites that no longer exist are left out. */
export async function writeSamples(tx: Tx, samples: readonly UptimeSample[]): Promise<void> {
  if (samples.length === 0) return
  const column = <K extends keyof UptimeSample>(key: K) => samples.map((sample) => sample[key])
  await sql`insert into easydash_site_uptime (site, at, state, status, ttfb_ms, total_ms)
    select given.* from unnest(${column('site')}::text[], ${column('at')}::timestamp[], ${column('state')}::text[],
      ${column('status')}::smallint[], ${column('ttfbMs')}::real[], ${column('totalMs')}::real[])
      as given (site, at, state, status, ttfb_ms, total_ms)
    join tab_site on tab_site.name = given.site
    for key share of tab_site
    on conflict do nothing`.execute(tx.trx)
}

/** Deletes what is too old at this time (milliseconds since 1970). Returns the number of rows. */
export async function deleteOldUptime(tx: Tx, now: number): Promise<number> {
  const before = (seconds: number) => new Date(now - seconds * 1000).toISOString().slice(0, 19)
  const samples = await sql`delete from easydash_site_uptime
    where at < ${before(uptimeKeptSeconds)}::timestamp`.execute(tx.trx)
  const incidents = await sql`delete from easydash_site_incident
    where ended < ${before(incidentsKeptSeconds)}::timestamp`.execute(tx.trx)
  return Number(samples.numAffectedRows ?? 0n) + Number(incidents.numAffectedRows ?? 0n)
}
