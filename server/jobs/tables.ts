import { sql } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'

/**
 * Creates the jobs' own tables if they are missing (part of the additive migration).
 * - `easydash_job_run`: one row per job that can still run (failed ones can be retried): its queue entry, the server it
 *   works on, and the worker that runs it. `waiting`: a step is waiting and no worker holds the job until
 *   the next claim; it is requeued at `wake_at`, or when `wake_event` arrives.
 * - `easydash_job_event`: events of the last day, for a step that starts to wait for one that has just arrived.
 * - `easydash_job_log`: log lines, numbered from 1 in each job.
 * - `easydash_schedule`: when each piece of scheduled work last started in any process, and the worker running it.
 */
export async function jobTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_job_run (
    job text primary key,
    queue text not null,
    queue_id uuid not null,
    worker integer,
    server text,
    waiting boolean not null default false,
    wake_at timestamp(6),
    wake_event text)`.execute(trx)
  await sql`create table if not exists easydash_job_event (
    event text primary key,
    at timestamp(6) not null)`.execute(trx)
  await sql`create table if not exists easydash_job_log (
    job text not null,
    n integer not null,
    at timestamp(6) not null,
    text text not null,
    primary key (job, n))`.execute(trx)
  await sql`create table if not exists easydash_schedule (
    name text primary key,
    last_run timestamp(6) not null,
    worker integer)`.execute(trx)
}
