import { sql } from 'kysely'
import type { Db } from '#server/platform/database/database.ts'

/**
 * Renames the times of invitations: in earlier releases `sent` was when the link was created, and `mailed` when it was
 * emailed. Databases that never had `mailed` get the columns of this release. Runs before the doctypes add the new ones.
 */
export async function renameSentInvitations(trx: Db): Promise<void> {
  const { rows } = await sql`
    select 1 from information_schema.columns
    where table_schema = current_schema() and table_name = 'tab_member_invite' and column_name = 'mailed'`.execute(trx)
  if (rows.length === 0) return
  await sql`alter table tab_member_invite rename column sent to link_created`.execute(trx)
  await sql`alter table tab_member_invite rename column mailed to sent`.execute(trx)
}
