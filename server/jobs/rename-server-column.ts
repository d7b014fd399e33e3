import { sql } from 'kysely'
import type { Db } from '#server/platform/database/database.ts'

/**
 * Renames the column with the server of a job run: in earlier releases it was `machine`. Databases that never had it get the
 * new column with the tables of this release. Runs before these.
 */
export async function renameServerColumn(trx: Db): Promise<void> {
  const { rows } = await sql`
    select 1 from information_schema.columns
    where table_schema = current_schema() and table_name = 'easydash_job_run' and column_name = 'machine'`.execute(trx)
  if (rows.length > 0) await sql`alter table easydash_job_run rename column machine to server`.execute(trx)
}
