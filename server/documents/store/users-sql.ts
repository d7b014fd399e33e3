import { sql, type RawBuilder, type SqlBool } from 'kysely'

/**
 * Whether the member row of alias `m` is that of one of these users. A single user is compared directly: with an array
 * PostgreSQL doesn't know how many rows to expect, and plans the prepared statement anew each time, which takes longer than
 * the statement.
 */
export function isOneOfUsers(users: readonly string[]): RawBuilder<SqlBool> {
  return users.length === 1 ? sql`m."user" = ${users[0]}` : sql`m."user" = any(${users}::text[])`
}
