import { sql } from 'kysely'
import type { Db } from '#server/platform/database/database.ts'

/** Adds the urgency of each site, which earlier releases did not store, as the next release had it: from 4 down to 1. */
export async function addAttention(trx: Db): Promise<void> {
  await sql`alter table tab_site add column if not exists attention bigint not null default 0`.execute(trx)
  await sql`update tab_site set attention = case when status = 'Archived' then 0 when health = 'Down' then 4
    when status = 'Failed' then 3 when wordpress_checksum = 'Modified' then 2 when status = 'Suspended' then 1 else 0 end`.execute(
    trx,
  )
}

/** Makes room for sites whose WordPress needs attention, below all others (`shared/rules/site-attention.ts`). */
export async function raiseAttention(trx: Db): Promise<void> {
  await sql`update tab_site set attention = attention + 1 where attention > 0`.execute(trx)
}
