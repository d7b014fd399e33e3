import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { stamp } from '#server/jobs/clock.ts'

/** How one person signs in and when last. Those who run an organization see it of its members, nobody else does. */
export interface SignInFacts {
  user: string
  secondFactor: boolean
  /** Last use of any session (UTC, correct to a minute); null when none is remembered. */
  lastUsed: string | null
}

/** These facts of several people, in no order; of people without sessions and second factor there is a row, too. */
export async function signInFacts(db: Db, users: readonly string[]): Promise<SignInFacts[]> {
  if (users.length === 0) return []
  const { rows } = await sql<{ user: string; second_factor: boolean; used_ms: number | null }>`
    select people."user",
      exists (select 1 from easydash_second_factor f where f."user" = people."user" and f.enabled_at is not null) as second_factor,
      (select (extract(epoch from max(s.last_used)) * 1000)::float8 from easydash_session s
        where s."user" = people."user") as used_ms
    from unnest(${[...users]}::text[]) as people("user")`.execute(db)
  return rows.map((row) => ({
    user: row.user,
    secondFactor: row.second_factor,
    lastUsed: row.used_ms === null ? null : stamp(row.used_ms),
  }))
}
