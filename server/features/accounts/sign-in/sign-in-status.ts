import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'

/** How a user signs in and when they last did. Visible only to those who manage an organization, about its members. */
export interface SignInStatus {
  user: string
  secondFactor: boolean
  /** Last use of any session (UTC, accurate to a minute); null if none is stored. */
  lastUsed: string | null
}

/** Returns the status of several users, in no particular order, also for users without sessions or a second factor. */
export async function signInStatuses(db: Db, users: readonly string[]): Promise<SignInStatus[]> {
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
    lastUsed: row.used_ms === null ? null : formatTimestamp(row.used_ms),
  }))
}
