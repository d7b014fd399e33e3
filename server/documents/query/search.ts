import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { SearchQuery } from '#server/contracts/documents.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { fieldNotPermitted, isDerived, resolveColumn } from './columns.ts'
import { allOf, anyOf, sqlTrue } from './filter-sql.ts'
import { folded } from './folded-text.ts'
import type { FilterContext } from './filters.ts'
import { whereSql, type ListScope } from './lists.ts'
import { parseLimit } from './select.ts'
import { isTextField, tableRef } from '../store/schema.ts'
import { indexedColumns, searchColumns, searchTextLike } from '../store/search-index.ts'
import type { Doctype } from '#shared/doctype.ts'

/**
 * Resolves a column to search in, as named by a request. Like in filters, JSON is excluded because it can contain values
 * this caller can't read (`described-values.ts`). Personal and derived fields, and those of other documents, have no column.
 */
function searchColumn(name: string, { type, typeByName, readable }: FilterContext): string {
  const column = resolveColumn(name, type, typeByName, readable)
  const { personal, stored_in, fieldtype } = column.field
  if (column.link || isDerived(type, name) || personal || stored_in || fieldtype === 'JSON')
    throw fieldNotPermitted(name)
  return column.name
}

/** A column's text as searches compare it, without a cast where an index has none. */
function textOf(type: Doctype, name: string): RawBuilder<string> {
  const column = sql.ref(`t.${name}`)
  return folded(name === 'name' || isTextField(type.fields[name]) ? column : sql`cast(${column} as text)`)
}

/** Suggestions for a link field: substring match on name, title and search fields, prefix matches first. */
export async function searchRows(
  db: Db,
  query: SearchQuery,
  scope: ListScope,
): Promise<{ value: string; label?: string; description: string }[]> {
  const { type, filterContext: context } = scope
  const title = type.title_field && context.readable?.(type, type.title_field) ? type.title_field : null
  const extra: string[] = []
  if (typeof query.searchfield === 'string' && query.searchfield !== '')
    extra.push(searchColumn(query.searchfield, context))
  const names = [
    ...new Set([...searchColumns(type).filter((name) => name === 'name' || context.readable?.(type, name)), ...extra]),
  ]
  const text = query.txt.trim()
  if (text.length > 200 || text.includes('\0') || !text.isWellFormed())
    throw new AppError('invalid', msg`txt is not a usable text.`, { field: 'txt', excType: 'DataError' })
  const escaped = text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)
  const contains = (name: string) => sql<SqlBool>`${textOf(type, name)} like ${folded(sql`${`%${escaped}%`}::text`)}`
  const indexed = indexedColumns(type)
  const inIndex = names.every((name) => indexed.includes(name)) ? searchTextLike(type, [escaped]) : null
  const matches = text === '' ? sqlTrue : allOf([...(inIndex ? [inIndex] : []), anyOf(names.map(contains))])
  const titleColumn = sql.ref(`t.${title ?? 'name'}`)
  const inUse = allOf([
    ...(Object.hasOwn(type.fields, 'enabled') ? [sql<SqlBool>`t.enabled = 1`] : []),
    ...(Object.hasOwn(type.fields, 'disabled') ? [sql<SqlBool>`coalesce(t.disabled, 0) = 0`] : []),
  ])
  const links = type.link_filters?.[query.reference_doctype ?? '']
  const everything = { ...scope, rows: sqlTrue, filterContext: { ...context, readable: () => true } }
  const suggested = links ? whereSql({ filters: links }, everything) : sqlTrue
  const described = names.filter((name) => name !== 'name' && name !== title)
  const descriptions =
    described.length > 0
      ? sql.join(
          described.map((name) => sql.ref(`t.${name}`)),
          sql`, `,
        )
      : sql`null`
  const found = await sql<{ value: string; label: string | null; parts: (string | null)[] }>`
    select t.name as value, ${title ? sql.ref(`t.${title}`) : sql`null`} as label, array[${descriptions}]::text[] as parts
    from ${tableRef(type.name)} t where ${allOf([whereSql({ filters: query.filters }, scope), suggested, matches, inUse])}
    order by (${textOf(type, title ?? 'name')} like ${folded(sql`${`${escaped}%`}::text`)}) desc, ${titleColumn} asc, t.name asc
    limit ${Math.min(parseLimit(query.page_length ?? 10, 'page_length'), 50)}`.execute(db)
  return found.rows.map((row) => ({
    value: row.value,
    ...(row.label !== null && row.label !== row.value ? { label: row.label } : {}),
    description: row.parts.filter(Boolean).join(', '),
  }))
}
