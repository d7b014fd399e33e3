import { sql } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'

/**
 * Creates the table of the sites of bulk runs, if it is missing (part of the additive migration, after the document tables).
 * `position`: order in which they get their turn. `address`: the domain, if the title is something else. `held_by`: the job that was in the way when it last got its turn.
 */
export async function bulkTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_bulk_row (
    run text not null references tab_bulk_run (name) on delete cascade,
    site text not null,
    position integer not null,
    title text not null,
    state text not null,
    job text,
    held_by text,
    reason text,
    reason_i18n jsonb,
    started timestamp(6),
    ended timestamp(6),
    primary key (run, site))`.execute(trx)
  await sql`alter table easydash_bulk_row add column if not exists address text`.execute(trx)
  await sql`create index if not exists easydash_bulk_row_open on easydash_bulk_row (run, position)
    where state in ('waiting', 'running', 'failed')`.execute(trx)
  await sql`create index if not exists easydash_bulk_row_job on easydash_bulk_row (job)
    where state in ('running', 'failed')`.execute(trx)
}
