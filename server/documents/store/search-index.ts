import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { tenantField, type Doctype } from '#shared/doctype.ts'
import type { Trx } from '#server/contracts/transaction.ts'
import { anyOf } from '../query/filter-sql.ts'
import { folded } from '../query/folded-text.ts'
import { perDoctype } from './per-doctype.ts'
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

/** All searched texts of a row of the table `t` as one, folded. */
const searchTextOf = (type: Doctype): RawBuilder<string> => sql.ref(`t.${searchColumnName(type)}`)

/** Name of the column with all searched texts of a row; changes with these. */
const searchColumnName = perDoctype((type) => `search_${indexedColumns(type).join('_')}`.slice(0, 63))

/**
 * Adds to a condition on searched columns of the table `t` that the row's searched text contains one of the patterns, which
 * follows from it. The text has an index, and where that is of no use, it is compared as it is stored, while the columns are folded
 * for each row. PostgreSQL knows how many rows have a text in it; `case` keeps it from multiplying that by what it guesses of the
 * columns, after which it reads all rows of a frequent text instead of a page.
 */
export function alsoInSearchText(
  type: Doctype,
  patterns: readonly string[],
  condition: RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  if (!isIndexed(type)) return condition
  const text = searchTextOf(type)
  // Each text in it begins after a line break.
  const inText = patternsIn(
    text,
    patterns.map((one) => (one.startsWith('%') ? `${one}%` : `%\n${one}%`)),
  )
  return sql<SqlBool>`(${inText} and case when ${text} is null then false else ${condition} end)`
}

const patternsIn = (text: RawBuilder<string>, patterns: readonly string[]): RawBuilder<SqlBool> =>
  anyOf([...new Set(patterns)].map((one) => sql<SqlBool>`${text} like ${folded(sql`${one}::text`)}`))

/** What is before the words of names, host names, email addresses and titles, as part of a pattern. */
const wordStarts = ['\n', ' ', '-', '.', '@', '\\_']

/**
 * Condition that a word of the searched texts of the table `t` begins with a text of one or two letters or digits, for which the
 * index has the beginnings of words only. Null for other texts, and if `columns` are not those of the index.
 */
export function shortWordLike(type: Doctype, text: string, columns: readonly string[]): RawBuilder<SqlBool> | null {
  const indexed = indexedColumns(type)
  const areAll = columns.length === indexed.length && columns.every((name) => indexed.includes(name))
  if (!isIndexed(type) || !areAll || !/^[a-z0-9]{1,2}$/i.test(text)) return null
  return patternsIn(
    searchTextOf(type),
    wordStarts.map((start) => `%${start}${text}%`),
  )
}

/**
 * Adds to each searched doctype a column with all searched texts of a row as one, folded, of which each is a part. Searches that
 * look in several columns find their rows by this one, because an index entry per column would be read per column, with the
 * organization's each time.
 */
export async function addSearchTexts(trx: Trx, types: readonly Doctype[]): Promise<void> {
  for (const type of types.filter(isIndexed)) {
    const texts = indexedColumns(type).map((name) => sql`E'\\n' || coalesce(${sql.id(name)}, '')`)
    await sql`alter table ${sql.id(tableName(type.name))} add column if not exists ${sql.id(searchColumnName(type))} text
      generated always as (${folded(sql`(${sql.join(texts, sql` || `)})`)}) stored`.execute(trx)
  }
}

/** A folded title as the index of titles has it: in an order in which those with the same beginning are next to each other. */
export const titleOrder = (title: RawBuilder<string>): RawBuilder<string> => sql<string>`${title} collate "C"`

/** Whether a folded title begins with a text, whose wildcards are escaped. */
export const titleBegins = (title: RawBuilder<string>, escaped: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${titleOrder(title)} like ${folded(sql`${`${escaped}%`}::text`)}`

/** Adds the indexes of the beginnings of titles, by which suggestions find those first. */
export async function addTitleIndexes(trx: Trx, types: readonly Doctype[]): Promise<void> {
  for (const type of types.filter(isIndexed)) {
    const tenant = tenantField(type)
    const title = type.title_field
    if (title === undefined || !indexedColumns(type).includes(title)) continue
    const columns = [...(tenant ? [sql.id(tenant)] : []), sql`(${titleOrder(folded(sql.id(title)))})`, sql.id('name')]
    await sql`create index if not exists ${sql.id(`title_${tableName(type.name).slice(4)}_${title}`.slice(0, 63))}
      on ${sql.id(tableName(type.name))} (${sql.join(columns)})`.execute(trx)
  }
}

/**
 * Adds the indexes for searching within texts. The text is the first column: PostgreSQL advances through the columns in order,
 * and then skips what is of the organization without it.
 */
export async function addSearchIndexes(trx: Trx, types: readonly Doctype[]): Promise<void> {
  for (const type of types.filter(isIndexed)) {
    const tenant = tenantField(type)
    const text = sql`${sql.id(searchColumnName(type))} gin_trgm_ops`
    await sql`create index if not exists ${sql.id(searchIndexName(type))} on ${sql.id(tableName(type.name))}
      using gin (${sql.join([text, ...(tenant ? [sql.id(tenant)] : [])])})`.execute(trx)
  }
}

/** Name of a doctype's search index; changes with its columns. */
function searchIndexName(type: Doctype): string {
  return `text_${tableName(type.name).slice(4)}_${indexedColumns(type).join('_')}`.slice(0, 63)
}
