import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Creates the platform's own tables if they are missing. */
export async function platformTables(trx: Db): Promise<void> {
  await sql`create table if not exists easydash_mail (
    id bigint generated always as identity primary key,
    "to" text not null,
    subject text not null,
    text text not null,
    html text not null,
    kind text not null,
    status text not null default 'Queued',
    attempts integer not null default 0,
    next_try timestamp not null default (now() at time zone 'utc'),
    error text,
    created timestamp not null default (now() at time zone 'utc'),
    sent timestamp)`.execute(trx)
  await sql`create index if not exists easydash_mail_open on easydash_mail (next_try) where status in ('Queued', 'Sending')`.execute(
    trx,
  )
  await sql`create index if not exists easydash_mail_created on easydash_mail (created)`.execute(trx)

  await sql`create table if not exists easydash_key_check (
    version integer primary key,
    proof text not null)`.execute(trx)
  await sql`create table if not exists easydash_data_key (
    scope text not null,
    version integer not null,
    wrapped text not null,
    ring_version integer not null,
    created timestamp not null default (now() at time zone 'utc'),
    primary key (scope, version))`.execute(trx)

  // Unlogged: counters may be lost in a crash and need no write-ahead log.
  await sql`create unlogged table if not exists easydash_rate_limit (
    bucket text not null,
    key text not null,
    hits double precision[] not null,
    expires double precision not null,
    primary key (bucket, key))`.execute(trx)
  await sql`create index if not exists easydash_rate_limit_expires on easydash_rate_limit (expires)`.execute(trx)
}
