import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { tenantField, type Doctype } from '#shared/doctype.ts'
import type { Trx } from '#server/contracts/transaction.ts'
import { anyOf } from '../query/filter-sql.ts'
import { folded } from '../query/folded-text.ts'
import { isTextField, tableName } from './schema.ts'

/** PostgreSQL extensions for searching within texts; part of its distribution, and the owner of a database may add them. */
const extensions = ['pg_trgm', 'btree_gin'] as const

/** Columns that suggestions and the search box of a list look in: the name, the title and fields with `search_index`. */
export function searchColumns(type: Doctype): string[] {
  const indexed = Object.keys(type.fields).filter((name) => type.fields[name]?.search_index)
  return [...new Set(['name', ...(type.title_field ? [type.title_field] : []), ...indexed])]
}

/** Adds the extensions; false if this server or role doesn't allow it, and searches then read all rows. */
export async function addSearchExtensions(trx: Trx): Promise<boolean> {
  for (const name of extensions) {
    const { rows } = await sql<{ installed: boolean }>`
      select exists (select 1 from pg_extension where extname = ${name}) as installed`.execute(trx)
    if (rows[0]?.installed) continue
    await sql`savepoint add_extension`.execute(trx)
    try {
      await sql`create extension ${sql.id(name)}`.execute(trx)
    } catch {
      await sql`rollback to savepoint add_extension`.execute(trx)
      return false
    }
  }
  return true
}

/** Searched columns that are text, which the index covers. */
export function indexedColumns(type: Doctype): string[] {
  return searchColumns(type).filter((name) => name === 'name' || isTextField(type.fields[name]))
}

/** Whether a doctype has an index for searching: it declares fields to search, and is no log, which grows with every write. */
const isIndexed = (type: Doctype): boolean =>
  type.track_activity !== false && Object.values(type.fields).some((field) => field.search_index)

/**
 * All searched texts of a row as one, of which each is a part. Searches that look in several columns find their rows by this
 * one expression, because an index entry per column would be read per column, with the organization's each time.
 */
function searchText(type: Doctype, columnOf: (name: string) => RawBuilder<unknown>): RawBuilder<string> {
  const texts = indexedColumns(type).map((name) => sql`coalesce(${columnOf(name)}, '')`)
  return folded(sql`(${sql.join(texts, sql` || E'\\n' || `)})`)
}

/**
 * Condition that rows of the table `t` meet whose searched columns contain one of the patterns of `like`. Rows can meet it
 * without, so it stands beside the conditions on the columns, for its index. Null for doctypes without one.
 */
export function searchTextLike(type: Doctype, patterns: readonly string[]): RawBuilder<SqlBool> | null {
  if (!isIndexed(type)) return null
  const text = searchText(type, (name) => sql.ref(`t.${name}`))
  return anyOf([...new Set(patterns)].map((one) => sql<SqlBool>`${text} like ${folded(sql`${`%${one}%`}::text`)}`))
}

/**
 * Adds the indexes for searching within texts. The text is the first column: PostgreSQL advances through the columns in order,
 * and then skips what is of the organization without it.
 */
export async function addSearchIndexes(trx: Trx, types: readonly Doctype[]): Promise<void> {
  for (const type of types.filter(isIndexed)) {
    const tenant = tenantField(type)
    const text = sql`(${searchText(type, (column) => sql.id(column))}) gin_trgm_ops`
    await sql`create index if not exists ${sql.id(searchIndexName(type))} on ${sql.id(tableName(type.name))}
      using gin (${sql.join([text, ...(tenant ? [sql.id(tenant)] : [])])})`.execute(trx)
  }
}

/** Name of a doctype's search index; changes with its columns. */
function searchIndexName(type: Doctype): string {
  return `search_${tableName(type.name).slice(4)}_${indexedColumns(type).join('_')}`.slice(0, 63)
}
