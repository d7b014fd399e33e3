import { sql } from 'kysely'
import { tenantField, type Doctype } from '#shared/doctype.ts'
import type { Trx } from '#server/contracts/transaction.ts'
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

/**
 * Adds the index for searching within the texts of a doctype, if it declares fields to search. Logs grow with every write
 * and are searched rarely, so they get none.
 */
export async function addSearchIndex(trx: Trx, type: Doctype): Promise<void> {
  const columns = searchColumns(type).filter((name) => name === 'name' || isTextField(type.fields[name]))
  const declared = Object.values(type.fields).some((field) => field.search_index)
  if (!declared || type.track_activity === false) return
  const tenant = tenantField(type)
  const texts = columns.map((name) => sql`(${folded(sql.id(name))}) gin_trgm_ops`)
  await sql`create index if not exists ${sql.id(searchIndexName(type))} on ${sql.id(tableName(type.name))}
    using gin (${sql.join([...(tenant ? [sql.id(tenant)] : []), ...texts])})`.execute(trx)
}

/** Name of a doctype's search index; changes with its columns. */
function searchIndexName(type: Doctype): string {
  return `s_${tableName(type.name).slice(4)}_${searchColumns(type).join('_')}`.slice(0, 63)
}
