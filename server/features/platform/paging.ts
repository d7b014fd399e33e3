import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { int } from '#shared/fields.ts'

/** Parameters of all lists here. A limit of 0 means the maximum, 500. */
export const pageParams = {
  limit: int({ default: 20, min: 0, max: 500 }),
  limit_start: int({ default: 0, min: 0, max: 1_000_000_000 }),
} as const

/** The requested page as SQL. */
export function pageSql(params: Record<string, unknown>): RawBuilder<unknown> {
  return sql`limit ${Number(params['limit'] ?? 20) || 500} offset ${Number(params['limit_start'] ?? 0)}`
}

/** Joins conditions with AND; true without any. */
export function whereAll(conditions: readonly (RawBuilder<SqlBool> | null)[]): RawBuilder<SqlBool> {
  const given = conditions.filter((condition) => condition !== null)
  return given.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(given, sql` and `)}`
}

/** Whether one of the columns contains the text, case-insensitive; null without a search text. */
export function holdsText(columns: readonly string[], txt: unknown): RawBuilder<SqlBool> | null {
  if (typeof txt !== 'string' || txt.trim() === '') return null
  const pattern = `%${txt.trim().replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql<SqlBool>`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} ilike ${pattern}`),
    sql` or `,
  )})`
}

/** Whether a column equals the value; null without a value. */
export function equals(column: string, value: unknown): RawBuilder<SqlBool> | null {
  return value === undefined || value === null ? null : sql<SqlBool>`${sql.ref(column)} = ${value}`
}
