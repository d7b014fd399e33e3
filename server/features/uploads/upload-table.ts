import { sql } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'

/**
 * Creates the table of resumable uploads if it is missing (part of the additive migration). `finishing`: its kind is taking
 * the content since then. `response`: of a finished upload, whose content is gone.
 */
export async function uploadTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_upload (
    id text primary key,
    kind text not null,
    "user" text not null,
    organization text,
    file_name text not null,
    size bigint not null,
    metadata jsonb not null,
    machine text not null,
    creation timestamptz not null default now(),
    finishing timestamptz,
    response jsonb)`.execute(trx)
  await sql`create index if not exists easydash_upload_user on easydash_upload ("user")`.execute(trx)
}
