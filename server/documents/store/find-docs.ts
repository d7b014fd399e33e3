import type { AnyDoc, Doctype, FilterTriple } from '#shared/doctype.ts'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { ListOptions } from '#server/contracts/transaction.ts'
import { resolveColumn } from '../query/columns.ts'
import { allOf, anyOf, conditionSql } from '../query/filter-sql.ts'
import { parseFilters } from '../query/filters.ts'
import { parseOrderBy } from '../query/select.ts'
import { countRowsBy, readColumns, readDocs } from './rows.ts'
import { tableRef } from './schema.ts'
import type { TransactionContext } from './transaction-context.ts'

/** Filters of our own code as SQL over alias `t`: they can name every field, whatever the session's user can read. */
export function filterSql(
  context: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
): RawBuilder<SqlBool> {
  return allOf(conditionsOf(context, type, filters))
}

function conditionsOf(
  { environment: { typeByName } }: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
): RawBuilder<SqlBool>[] {
  return parseFilters(filters, { type, typeByName, readable: null }).map((one) =>
    conditionSql(one, sql.ref(`t.${one.column.name}`)),
  )
}

/** All of the filters, and one of `or_filters` if there are any. */
function matching(
  context: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
  { or_filters = [] }: ListOptions,
): RawBuilder<SqlBool> {
  const alternatives = or_filters.length > 0 ? [anyOf(conditionsOf(context, type, or_filters))] : []
  return allOf([...conditionsOf(context, type, filters), ...alternatives])
}

/** Order and page of a list. */
function tailOf(
  { environment: { typeByName } }: TransactionContext,
  type: Doctype,
  { order_by = 'creation', limit, limit_start }: ListOptions,
): RawBuilder<unknown> {
  const order = parseOrderBy(order_by, { type, typeByName, readable: null }, [])
  const terms = order.map((term) => sql`${sql.ref(`t.${term.column?.name}`)} ${sql.raw(term.direction)}`)
  return sql`order by ${sql.join([...terms, sql`t.name`])} ${limit ? sql`limit ${limit}` : sql``}
    ${limit_start ? sql`offset ${limit_start}` : sql``}`
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

/** Documents that match, oldest first by default. */
export async function listDocs(
  context: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
  options: ListOptions = {},
): Promise<AnyDoc[]> {
  const where = matching(context, type, filters, options)
  return readDocs(context.connection, type, where, tailOf(context, type, options), context.environment.typeByName)
}

/** The given fields of the documents that match. Throws for secrets and Table fields. */
export async function listFields(
  context: TransactionContext,
  type: Doctype,
  fields: readonly string[],
  filters: readonly FilterTriple[],
  options: ListOptions,
): Promise<Record<string, unknown>[]> {
  const { connection, environment } = context
  const columns = fields.map((field) => resolveColumn(field, type, environment.typeByName, null).name)
  const where = matching(context, type, filters, options)
  return readColumns(connection, type, columns, where, tailOf(context, type, options))
}

/** Number of documents that match. */
export async function countDocs(
  context: TransactionContext,
  type: Doctype,
  filters: readonly FilterTriple[],
  options: Pick<ListOptions, 'or_filters'>,
): Promise<number> {
  const where = matching(context, type, filters, options)
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
