import { sql } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'

/** An organization of which there are entries of the activity log that nobody was notified about yet. */
export interface UnreadChain {
  /** Null: what happened outside of organizations. */
  readonly organization: string | null
  /** Sequence of the last entry that was looked at, and of the newest one. */
  readonly cursor: number
  readonly last: number
}

/**
 * How far each chain of the activity log was looked at. An installation that gets this table starts at the end of each: nobody is
 * notified about what happened long ago. Chains that begin later are looked at from their first entry.
 */
export async function notificationTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_notification_cursor (
    chain text primary key,
    sequence bigint not null)`.execute(trx)
  await sql`insert into easydash_notification_cursor (chain, sequence)
    select chain, entries from easydash_activity_head
    where not exists (select 1 from easydash_notification_cursor)`.execute(trx)
}

/** Chains with entries after their cursor. */
export async function unreadChains(trx: Trx): Promise<UnreadChain[]> {
  const { rows } = await sql<{ chain: string; cursor: number; last: number }>`
    select h.chain, coalesce(c.sequence, 0)::int as cursor, h.entries::int as last
    from easydash_activity_head h left join easydash_notification_cursor c on c.chain = h.chain
    where h.entries > coalesce(c.sequence, 0) order by h.chain`.execute(trx)
  return rows.map(({ chain, cursor, last }) => ({ organization: chain === '' ? null : chain, cursor, last }))
}

/**
 * Moves the cursor of a chain to an entry. False if it is there already: another process notified people about this entry. Until the
 * transaction ends no other moves it.
 */
export async function moveCursor(trx: Trx, organization: string | null, sequence: number): Promise<boolean> {
  const { rows } = await sql`insert into easydash_notification_cursor as c (chain, sequence)
    values (${organization ?? ''}, ${sequence})
    on conflict (chain) do update set sequence = excluded.sequence where c.sequence < excluded.sequence
    returning 1`.execute(trx)
  return rows.length > 0
}
