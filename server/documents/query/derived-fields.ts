import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Doctype } from '#shared/doctype.ts'
import { tableRef } from '../store/schema.ts'
import { isDerived } from './columns.ts'
import type { Condition } from './filters.ts'

/**
 * A later entry about the same act and the same document says more. The log is append-only, so this cannot be stored with the earlier one. Only
 * entries of a start look for another one, by the index on their job.
 */
const superseded = (alias: string) => sql<SqlBool>`(${sql.ref(`${alias}.result`)} = 'Started' and exists (
  select from ${tableRef('Activity')} later where later.job = ${sql.ref(`${alias}.job`)}
    and later.reference_name is not distinct from ${sql.ref(`${alias}.reference_name`)}
    and later.creation > ${sql.ref(`${alias}.creation`)}))`

const definitions: Readonly<Record<string, (alias: string) => RawBuilder<SqlBool>>> = {
  'Activity.superseded': superseded,
}

function definitionOf(type: Doctype, name: string): (alias: string) => RawBuilder<SqlBool> {
  const definition = definitions[`${type.name}.${name}`]
  if (!definition) throw new Error(`The derived field ${name} of ${type.name} is not defined`)
  return definition
}

/** The value of a derived field as 0 or 1, for the rows of `alias`. */
export function derivedSql(type: Doctype, name: string, alias: string): RawBuilder<unknown> {
  return sql`case when ${definitionOf(type, name)(alias)} then 1 else 0 end`
}

/**
 * A comparison of the queried doctype's derived field with 0 or 1, without `case`: PostgreSQL can estimate how many rows match.
 * Null for others.
 */
export function derivedConditionSql(type: Doctype, { column, operator, value }: Condition): RawBuilder<SqlBool> | null {
  if (column.link || !isDerived(type, column.name) || (operator !== '=' && operator !== '!=')) return null
  if (value !== null && value !== 0 && value !== 1) return null
  const isTrue = definitionOf(type, column.name)('t')
  return (value === 1) === (operator === '=') ? isTrue : sql`${isTrue} is not true`
}
