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
import {
  alsoInSearchText,
  indexedColumns,
  searchColumns,
  shortWordLike,
  titleBegins,
  titleOrder,
} from '../store/search-index.ts'
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

/**
 * Suggestions for a link field: rows with the text in their name, title or search fields, those whose title begins with it
 * first. One or two letters are looked for at the beginnings of words.
 */
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
  const titleName = title ?? 'name'
  const titleText = textOf(type, titleName)
  const inUse = allOf([
    ...(Object.hasOwn(type.fields, 'enabled') ? [sql<SqlBool>`t.enabled = 1`] : []),
    ...(Object.hasOwn(type.fields, 'disabled') ? [sql<SqlBool>`coalesce(t.disabled, 0) = 0`] : []),
  ])
  const linking = query.reference_doctype ?? ''
  const links = forLink(type.link_filters, linking)
  const choosable = forLink(type.link_filter_fields, linking)
  const everything = { ...scope, rows: sqlTrue, filterContext: { ...context, readable: () => true } }
  const readable = (of: Doctype, name: string) =>
    (of === type && choosable?.includes(name)) || context.readable?.(of, name) !== false
  const suggested = links ? whereSql({ filters: links }, everything) : sqlTrue
  const described = names.filter((name) => name !== 'name' && name !== title)
  const descriptions =
    described.length > 0
      ? sql.join(
          described.map((name) => sql.ref(`t.${name}`)),
          sql`, `,
        )
      : sql`null`
  const allowed = allOf([
    whereSql({ filters: query.filters }, { ...scope, filterContext: { ...context, readable } }),
    suggested,
    inUse,
  ])
  const read = async (matches: RawBuilder<SqlBool>, order: RawBuilder<unknown>, limit: number) => {
    const found = await sql<FoundRow>`
      select t.name as value, ${title ? sql.ref(`t.${title}`) : sql`null`} as label, array[${descriptions}]::text[] as parts
      from ${tableRef(type.name)} t where ${allOf([allowed, matches])} order by ${order}, t.name asc limit ${limit}`.execute(
      db,
    )
    return found.rows
  }
  const limit = Math.min(parseLimit(query.page_length ?? 10, 'page_length'), 50)
  const byTitle = sql`${sql.ref(`t.${titleName}`)} asc`
  if (text === '') return (await read(sqlTrue, byTitle, limit)).map(suggestionOf)
  // In two statements, because each of them has an index for its order.
  const begins = titleBegins(titleText, escaped)
  const first = await read(begins, titleOrder(titleText), limit)
  if (first.length === limit) return first.map(suggestionOf)
  const matches = shortWordLike(type, text, names) ?? contained(type, names, escaped)
  const others = allOf([matches, sql<SqlBool>`${begins} is not true`])
  return [...first, ...(await read(others, byTitle, limit - first.length))].map(suggestionOf)
}

/** What a doctype says about links of another one, whose name comes from a request. */
function forLink<T>(described: Readonly<Record<string, T>> | undefined, linking: string): T | undefined {
  return described && Object.hasOwn(described, linking) ? described[linking] : undefined
}

/** Rows with the text in one of the columns. */
function contained(type: Doctype, names: readonly string[], escaped: string): RawBuilder<SqlBool> {
  const matches = anyOf(
    names.map((name) => sql<SqlBool>`${textOf(type, name)} like ${folded(sql`${`%${escaped}%`}::text`)}`),
  )
  const indexed = indexedColumns(type)
  return names.every((name) => indexed.includes(name)) ? alsoInSearchText(type, [`%${escaped}%`], matches) : matches
}

interface FoundRow {
  value: string
  label: string | null
  parts: (string | null)[]
}

function suggestionOf(row: FoundRow): { value: string; label?: string; description: string } {
  return {
    value: row.value,
    ...(row.label !== null && row.label !== row.value ? { label: row.label } : {}),
    description: row.parts.filter(Boolean).join(', '),
  }
}
