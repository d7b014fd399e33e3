import { sql } from 'kysely'
import type { Db } from '#server/platform/database/database.ts'

/** Tells accounts with two-factor authentication of earlier releases, which only its own table knew. */
export async function markTwoFactor(trx: Db): Promise<void> {
  await sql`alter table tab_user add column if not exists two_factor smallint not null default 0`.execute(trx)
  await sql`update tab_user set two_factor = 1 where exists (
    select 1 from easydash_second_factor f where f."user" = tab_user.name and f.enabled_at is not null)`.execute(trx)
}
