import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Name that a column of an earlier release has now: descriptors of messages ended in `_parts`. */
export const currentColumn = (column: string): string => column.replace(/_parts$/, '_i18n')

/** Renames the columns with descriptors of messages from `_parts` to `_i18n`. Runs before the doctypes add the new ones. */
export async function renameMessageColumns(trx: Db): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and table_name like 'tab\\_%' and column_name like '%\\_parts'`.execute(trx)
  for (const { table, column } of rows)
    await sql`alter table ${sql.id(table)} rename column ${sql.id(column)} to ${sql.id(currentColumn(column))}`.execute(
      trx,
    )
}
