import { sql } from 'kysely'
import { siteAttention } from '#shared/rules/site-attention.ts'
import type { Db } from '#server/platform/database/database.ts'

/** Adds the urgency of each site, which earlier releases did not store (`shared/rules/site-attention.ts`). */
export async function addAttention(trx: Db): Promise<void> {
  await sql`alter table tab_site add column if not exists attention bigint not null default 0`.execute(trx)
  const cases = siteAttention.map(
    ([field, , value], at) => sql`when ${sql.id(field)} = ${value} then ${sql.lit(siteAttention.length - at)}`,
  )
  await sql`update tab_site set attention = case when status = 'Archived' then 0 ${sql.join(cases, sql` `)} else 0 end`.execute(
    trx,
  )
}
