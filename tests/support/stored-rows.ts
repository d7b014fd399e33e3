/** What a database holds, to find out whether a call has changed something. */
import { sql } from 'kysely'
import type { Db } from '#server/platform/database/database.ts'

/** Tables that say who calls, when and how often: calls that only read are noted there, too. */
const aboutCallers: ReadonlySet<string> = new Set(['easydash_rate_limit', 'easydash_session'])

/** The number of rows and a checksum of each table. */
export async function storedRows(db: Db): Promise<ReadonlyMap<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`.execute(db)
  const sums = tables
    .filter(({ name }) => !aboutCallers.has(name))
    .map(
      ({ name }) => sql`select ${name}::text as name,
        count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as sum from ${sql.table(name)} t`,
    )
  const { rows } = await sql<{ name: string; sum: string }>`${sql.join(sums, sql` union all `)}`.execute(db)
  return new Map(rows.map(({ name, sum }) => [name, sum]))
}

/** Names of the tables that differ. */
export const changedTables = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...after].filter(([name, sum]) => before.get(name) !== sum).map(([name]) => name)
