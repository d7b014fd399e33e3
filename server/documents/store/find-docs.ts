import type { AnyDoc, Doctype, FilterTriple } from '#shared/doctype.ts'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { allOf, conditionSql } from '../query/filter-sql.ts'
import { parseFilters } from '../query/filters.ts'
import { parseOrderBy } from '../query/select.ts'
import { countRowsBy, readDocs } from './rows.ts'
import { tableRef } from './schema.ts'
import type { TransactionContext } from './transaction-context.ts'

/** Filters of our own code as SQL over alias `t`: they can name every field, whatever the session's user can read. */
export function filterSql(
  { environment: { typeByName } }: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
): RawBuilder<SqlBool> {
  return allOf(
    parseFilters(filters, { type, typeByName, readable: null }).map((one) =>
      conditionSql(one, sql.ref(`t.${one.column.name}`)),
    ),
  )
}

/** Oldest document that matches all triples; null if there is none. */
export async function findDoc(
  context: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
  options: { lock?: boolean } = {},
): Promise<AnyDoc | null> {
  const { connection, environment } = context
  const tail = sql`order by t.creation, t.name limit 1 ${options.lock ? sql`for update of t` : sql``}`
  const docs = await readDocs(connection, type, filterSql(context, type, filters), tail, environment.typeByName)
  return docs[0] ?? null
}

/** Documents that match all triples, oldest first by default. */
export async function listDocs(
  context: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
  options: { order_by?: string; limit?: number } = {},
): Promise<AnyDoc[]> {
  const { typeByName } = context.environment
  const order = parseOrderBy(options.order_by ?? 'creation', { type, typeByName, readable: null }, [])
  const terms = order.map((term) => sql`${sql.ref(`t.${term.column?.name}`)} ${sql.raw(term.direction)}`)
  const tail = sql`order by ${sql.join([...terms, sql`t.name`])} ${options.limit ? sql`limit ${options.limit}` : sql``}`
  return readDocs(context.connection, type, filterSql(context, type, filters), tail, typeByName)
}

/** Number of documents that match all triples. */
export async function countDocs(
  context: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
): Promise<number> {
  const where = filterSql(context, type, filters)
  const found = await sql<{
    n: number
  }>`select count(*) as n from ${tableRef(type.name)} t where ${where}`.execute(context.connection)
  return Number(found.rows[0]?.n ?? 0)
}

/** Numbers of documents that match all triples, by the value of a field as text. */
export async function countDocsBy(
  context: TransactionContext,
  type: Doctype,
  field: string,
  filters: readonly FilterTriple[],
): Promise<Map<string, number>> {
  return countRowsBy(context.connection, type, field, filterSql(context, type, filters))
}
