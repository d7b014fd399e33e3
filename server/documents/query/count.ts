import { sql, type RawBuilder } from 'kysely'
import type { Doctype } from '#shared/doctype.ts'
import { sortableFields } from '#shared/rules/sortable-fields.ts'
import type { CountQuery } from '#server/contracts/documents.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { tableRef } from '../store/schema.ts'
import type { Condition } from './filters.ts'
import { conditionsOf, conditionsSql, type Conditions, type ListScope } from './lists.ts'
import { parseCountLimit } from './select.ts'

/** Number of rows visible to the caller with these filters, at most the query's limit. */
export async function countRows(db: Db, query: CountQuery, scope: ListScope): Promise<number> {
  const most = parseCountLimit(query.limit)
  const conditions = conditionsOf(query, scope)
  const rows = (part: Conditions): RawBuilder<unknown> =>
    sql`from ${tableRef(scope.type.name)} t where ${conditionsSql(part, scope)}`
  const upTo = (part: Conditions) =>
    sql`select 1 ${rows(part)} order by ${inIndexOrder(part, scope.type)} limit ${most}`
  const [whole, ...parts] = disjointParts(conditions)
  const limited =
    parts.length === 0
      ? upTo(whole)
      : sql`${sql.join(
          [whole, ...parts].map((part) => sql`(${upTo(part)})`),
          sql` union all `,
        )} limit ${most}`
  const counted = most === null ? rows(conditions) : sql`from (${limited}) counted`
  const found = await sql<{ n: number }>`select count(*) as n ${counted}`.execute(db)
  return Number(found.rows[0]?.n ?? 0)
}

/**
 * The order of an index. Without one, PostgreSQL expects to find enough rows soon in the order of the table, and reads all of
 * the organizations that come before.
 */
function inIndexOrder({ all }: Conditions, type: Doctype): RawBuilder<unknown> {
  const sortable = sortableFields(type)
  // A text within others has no place in their order.
  const ordered = all.find(
    ({ column, operator }) => !column.link && !operator.includes('like') && sortable.includes(column.name),
  )
  const field = ordered?.column.name ?? 'creation'
  return sql`${sql.ref(`t.${field}`)}, t.name`
}

/**
 * Conditions that together match the same rows, each row by one of them. A limited count of what is *not* something would read
 * past every row that is, as an index cannot leave them out. As one of the other options, or unset, it can.
 */
function disjointParts(conditions: Conditions): readonly [Conditions, ...Conditions[]] {
  const at = conditions.all.findIndex((condition) => otherOptions(condition) !== null)
  const difference = conditions.all[at]
  if (!difference) return [conditions]
  const replaced = (changes: Pick<Condition, 'operator' | 'value'>): Conditions => ({
    ...conditions,
    all: conditions.all.with(at, { ...difference, ...changes }),
  })
  const others = replaced({ operator: 'in', value: otherOptions(difference) })
  const { field } = difference.column
  // What only our own code writes, and what it has from the start, is never unset: a part less to be planned.
  const isAlwaysSet = field.reqd === true || (field.server_owned === true && field.default !== undefined)
  return isAlwaysSet ? [others] : [others, replaced({ operator: '=', value: null })]
}

/** What a column can be if it is not what a condition excludes, for a column that has an index with the tenant; null for other conditions. */
function otherOptions({ operator, value, column }: Condition): readonly string[] | null {
  const { field, link } = column
  const isIndexed = !link && field.fieldtype === 'Select' && field.in_standard_filter === true
  if (!isIndexed || operator !== '!=' || typeof value !== 'string' || value === '') return null
  return field.options.filter((option) => option !== value)
}
