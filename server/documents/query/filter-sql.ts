import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Field } from '#shared/fields.ts'
import type { Condition } from './filters.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { folded, marks } from './folded-text.ts'

/** True, the neutral element of `and`. */
export const sqlTrue = sql<SqlBool>`true`
/** False, the neutral element of `or`. */
export const sqlFalse = sql<SqlBool>`false`

/** All conditions match. */
export function allOf(parts: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  const [first, ...more] = parts
  if (!first) return sqlTrue
  return more.length === 0 ? first : sql<SqlBool>`(${sql.join(parts, sql` and `)})`
}

/** At least one condition matches; false if none are given. */
export function anyOf(parts: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  const [first, ...more] = parts
  if (!first) return sqlFalse
  return more.length === 0 ? first : sql<SqlBool>`(${sql.join(parts, sql` or `)})`
}

/** The values of an operator that takes several, which the parser made a list. */
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** The value an unset field is equal to: 0 for numbers, "" for all others. */
function unsetValue(field: Field): 0 | '' {
  return ['Int', 'Float', 'Check'].includes(field.fieldtype) ? 0 : ''
}

const cast: Partial<Record<Field['fieldtype'], string>> = {
  Int: 'double precision',
  Float: 'double precision',
  Check: 'double precision',
  Datetime: 'timestamp',
  Date: 'date',
}

/** A query parameter cast to its column's type, so that PostgreSQL doesn't have to infer it. */
function typedParameter(field: Field, value: unknown): RawBuilder<unknown> {
  return sql`cast(${value} as ${sql.raw(cast[field.fieldtype] ?? 'text')})`
}

/**
 * PostgreSQL rejects a pattern that ends in a single backslash, so it is escaped to mean itself; also before marks, which are
 * removed when texts are compared.
 */
export function safePattern(pattern: string): string {
  const compared = pattern.replaceAll(marks, '')
  const trailing = compared.length - trimEnd(compared, '\\').length
  return trailing % 2 === 1 ? `${pattern}\\` : pattern
}

const foldedPattern = (value: unknown): RawBuilder<string> => folded(sql`${safePattern(String(value))}::text`)

/** The column's text as patterns are compared with it; without a cast where it is text, because indexes have none. */
function foldedColumn({ column: { field } }: Condition, column: RawBuilder<unknown>): RawBuilder<string> {
  return folded(cast[field.fieldtype] || field.fieldtype === 'JSON' ? sql`cast(${column} as text)` : column)
}

/**
 * One condition as SQL over the given column expression; false or null where it doesn't match, and without functions around
 * the column where an index could serve. Unset rows match `!=`, `not in` and `not like`; `= ""` and `= null`
 * match unset rows, and so does `= 0` for numbers.
 */
export function conditionSql(condition: Condition, column: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const { operator, value } = condition
  const { field } = condition.column
  const unset = unsetValue(field)
  const isUnset = sql<SqlBool>`${column} is null`
  const meansUnset = (single: unknown) => single === null || single === unset
  switch (operator) {
    case '=':
      if (meansUnset(value)) return unset === 0 ? sql`(${column} is null or ${column} = 0)` : isUnset
      return sql`${column} = ${typedParameter(field, value)}`
    case '!=':
      if (meansUnset(value))
        return unset === 0 ? sql`(${column} is not null and ${column} <> 0)` : sql`${column} is not null`
      return sql`(${column} is null or ${column} <> ${typedParameter(field, value)})`
    case '>':
    case '<':
    case '>=':
    case '<=':
      return sql`${column} ${sql.raw(operator)} ${typedParameter(field, value)}`
    case 'like':
      // Unset is the empty text.
      if (/^%+$/.test(String(value))) return sqlTrue
      if (value === '') return sql`(${column} is null or cast(${column} as text) = '')`
      return sql`${foldedColumn(condition, column)} like ${foldedPattern(value)}`
    case 'not like':
      return sql`(${column} is null or ${foldedColumn(condition, column)} not like ${foldedPattern(value)})`
    case 'in':
    case 'not in': {
      const list = listOf(value)
      const matchesUnset = list.length === 0 || list.some(meansUnset)
      // For numbers, unset equals 0, as with `=`.
      const given = list.map((item) => item ?? (unset === 0 ? 0 : null)).filter((item) => item !== null)
      const parts: RawBuilder<SqlBool>[] = matchesUnset ? [isUnset] : []
      if (given.length > 0)
        parts.push(sql`${column} in (${sql.join(given.map((item) => typedParameter(field, item)))})`)
      if (operator === 'in') return anyOf(parts)
      // `not in []` excludes nothing; with values given, unset rows match unless "unset" itself was listed.
      if (list.length === 0) return sqlTrue
      const differs =
        given.length === 0
          ? sqlTrue
          : sql<SqlBool>`${column} not in (${sql.join(given.map((item) => typedParameter(field, item)))})`
      return matchesUnset ? sql`(${column} is not null and ${differs})` : sql`(${isUnset} or ${differs})`
    }
    case 'between': {
      const [low, high] = listOf(value)
      return sql`${column} between ${typedParameter(field, low)} and ${typedParameter(field, high)}`
    }
    case 'is':
      return value === 'set'
        ? sql`(${column} is not null and cast(${column} as text) <> '')`
        : sql`(${column} is null or cast(${column} as text) = '')`
    case 'timespan':
      throw new Error('timespan is rewritten to between when parsed')
  }
}
