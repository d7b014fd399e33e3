import type { Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { isObject } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import {
  fieldNotPermitted,
  findColumn,
  isQueryable,
  isReadable,
  resolveColumn,
  displayValue,
  type Column,
} from './columns.ts'
import { parseJsonValue, type FilterContext } from './filters.ts'

/** Aggregate functions clients can use. */
const aggregates = ['count', 'sum', 'avg', 'min', 'max'] as const
export type Aggregate = (typeof aggregates)[number]

/** A selected value of a list: a column, or an aggregate over one (`column` null is `count(*)`). */
export type Selected = { readonly key: string } & (
  | { readonly aggregate: null; readonly column: Column }
  | { readonly aggregate: Aggregate; readonly column: Column | null }
)

/** One sort key: a column, or the alias of a selected value. */
export type OrderTerm = { readonly direction: 'asc' | 'desc' } & (
  | { readonly column: Column; readonly alias: null }
  | { readonly column: null; readonly alias: string }
)

const alias = '[A-Za-z_][A-Za-z0-9_]{0,62}'
const reservedKeys = new Set(['__proto__', 'constructor', 'prototype'])
const aliasPattern = new RegExp(`^${alias}$`)
/** ` as alias` at the end of an item; matching starts only once per run of spaces. */
const asPattern = new RegExp(`(?<!\\s)\\s+as\\s+(?:\`(${alias})\`|(${alias}))$`, 'i')
const aggregatePattern = /^(count|sum|avg|min|max)\(([^()]*)\)$/i

const bad = (text: string) => fieldNotPermitted(text)

/** Parses the `fields` parameter. Unreadable fields are dropped silently, unknown ones rejected. */
export function parseFields(raw: unknown, context: FilterContext): Selected[] {
  const value = typeof raw === 'string' && !raw.trim().startsWith('[') ? [raw] : parseJsonValue(raw, 'fields')
  const items = value === null || value === undefined || (Array.isArray(value) && value.length === 0) ? ['name'] : value
  if (!Array.isArray(items)) throw new AppError('invalid', msg`fields must be a list.`, { excType: 'ValidationError' })
  if (items.length > 100)
    throw new AppError('invalid', msg`At most 100 fields are possible.`, { excType: 'ValidationError' })
  const selected = items.flatMap((item) => parseItem(item, context))
  if (selected.length === 0) return parseItem('name', context)
  return [...new Map(selected.map((entry) => [entry.key, entry])).values()]
}

function parseItem(item: unknown, context: FilterContext): Selected[] {
  if (isObject(item)) return [dictAggregate(item, context)]
  if (typeof item !== 'string' || item.length > 300) throw bad(displayValue(item))
  const text = item.trim()
  if (text === '*' || text === `\`tab${context.type.name}\`.*` || text === `tab${context.type.name}.*`)
    return selectAllFields(context)
  const as = asPattern.exec(text)
  const expression = text.slice(0, as?.index).trim()
  const key = as?.[1] ?? as?.[2]
  if (key !== undefined && reservedKeys.has(key)) throw bad(text)
  const [, aggregate, argument = ''] = aggregatePattern.exec(expression) ?? []
  if (aggregate) return [aggregateOf(aggregate, argument.trim(), key, context)]
  const column = findColumn(expression, context.type, context.typeByName)
  // Secrets are readable by nobody, so they are omitted like other unreadable fields.
  if (column?.field.secret && !column.field.hidden) return []
  if (!column || !isQueryable(column.field)) throw bad(expression)
  if (context.readable && !isReadable(column, context.type, context.readable)) return []
  return [{ key: key ?? column.name, aggregate: null, column }]
}

function selectAllFields(context: FilterContext): Selected[] {
  const names = [
    'name',
    'owner',
    'creation',
    'modified',
    'modified_by',
    'docstatus',
    'idx',
    ...Object.keys(context.type.fields),
  ]
  return names.flatMap((name) => {
    const column = findColumn(name, context.type, context.typeByName)
    if (!column || !isQueryable(column.field)) return []
    if (context.readable && !context.readable(context.type, name)) return []
    return [{ key: name, aggregate: null, column }]
  })
}

function dictAggregate(item: Record<string, unknown>, context: FilterContext): Selected {
  const as = item.as
  const [name, argument, ...rest] = Object.entries(item)
    .filter(([key]) => key !== 'as')
    .flat()
  if (rest.length > 0 || typeof name !== 'string' || typeof argument !== 'string') throw bad(displayValue(item))
  if (as !== undefined && (typeof as !== 'string' || !aliasPattern.test(as) || reservedKeys.has(as)))
    throw bad(displayValue(as))
  return aggregateOf(name, argument, as, context)
}

function aggregateOf(name: string, argument: string, key: string | undefined, context: FilterContext): Selected {
  const aggregate = name.toLowerCase()
  if (!isOneOf(aggregates, aggregate)) throw bad(name)
  if (argument.trim() === '*') {
    if (aggregate !== 'count') throw bad(`${name}(*)`)
    return { key: key ?? 'count(*)', aggregate, column: null }
  }
  const column = resolveColumn(argument, context.type, context.typeByName, context.readable)
  const numeric = ['Int', 'Float', 'Check'].includes(column.field.fieldtype)
  if (((aggregate === 'sum' || aggregate === 'avg') && !numeric) || column.field.fieldtype === 'JSON')
    throw bad(`${name}(${argument})`)
  return { key: key ?? `${aggregate}(${column.name})`, aggregate, column }
}

/** Parses the `group_by` parameter; empty if absent. */
export function parseGroupBy(raw: unknown, context: FilterContext): Column[] {
  if (raw === null || raw === undefined || raw === '') return []
  if (typeof raw !== 'string' || raw.length > 500) throw bad(displayValue(raw))
  return raw.split(',').map((part) => {
    const column = resolveColumn(part, context.type, context.typeByName, context.readable)
    if (column.field.fieldtype === 'JSON') throw bad(part)
    return column
  })
}

/** Parses the `order_by` parameter; empty if absent. */
export function parseOrderBy(raw: unknown, context: FilterContext, selected: readonly Selected[]): OrderTerm[] {
  if (raw === null || raw === undefined || raw === '') return []
  if (typeof raw !== 'string' || raw.length > 500) throw bad(displayValue(raw))
  return raw.split(',').map((part) => {
    const term = part.trim()
    const end = /(?<!\s)\s+(asc|desc)$/i.exec(term)
    const name = term.slice(0, end?.index)
    const direction = end?.[1]?.toLowerCase() === 'desc' ? 'desc' : 'asc'
    const bare = name.replaceAll('`', '')
    if (selected.some((entry) => entry.key === bare && entry.aggregate)) return { column: null, alias: bare, direction }
    const column = resolveColumn(name, context.type, context.typeByName, context.readable)
    if (column.field.fieldtype === 'JSON') throw bad(name)
    return { column, alias: null, direction }
  })
}

/** Whether each row is its own group: grouping by name makes all columns of the row available. */
export function isGroupedByName(groupBy: readonly Column[]): boolean {
  return groupBy.some((column) => column.name === 'name' && !column.link)
}

/** Checks that a grouped or aggregated list only selects columns it groups by. */
export function checkGrouping(
  selected: readonly Selected[],
  groupBy: readonly Column[],
  order: readonly OrderTerm[],
): void {
  const same = (a: Column, b: Column) => a.name === b.name && a.link?.name === b.link?.name
  const grouped = groupBy.length > 0 || selected.some((entry) => entry.aggregate)
  if (!grouped || isGroupedByName(groupBy)) return
  for (const { key, aggregate, column } of selected) {
    if (!aggregate && !groupBy.some((one) => same(one, column))) {
      throw new AppError('invalid', msg`${key} must stand in group_by or in an aggregate.`, {
        excType: 'DataError',
      })
    }
  }
  for (const { column } of order) {
    if (column && !groupBy.some((one) => same(one, column))) {
      throw new AppError('invalid', msg`${column.name} cannot order a grouped list.`, { excType: 'DataError' })
    }
  }
}

/** Number of rows: default 20, 0 = 500, at most 500; anything else is rejected. `name`: the parameter to report. */
export function parseLimit(raw: unknown, name = 'limit'): number {
  const limit = wholeNumber(raw, 20, name)
  return limit === 0 ? 500 : Math.min(limit, 500)
}

/** Number of rows up to which a count goes; null for all. */
export function parseCountLimit(raw: unknown): number | null {
  return wholeNumber(raw, 0, 'limit') || null
}

/** Number of rows to skip. */
export function parseStart(raw: unknown): number {
  return Math.min(wholeNumber(raw, 0, 'limit_start'), 10_000_000)
}

function wholeNumber(raw: unknown, absent: number, name: string): number {
  if (raw === null || raw === undefined || raw === '') return absent
  const number =
    typeof raw === 'number' ? raw : typeof raw === 'string' && /^\d{1,12}$/.test(raw.trim()) ? Number(raw) : Number.NaN
  if (!Number.isSafeInteger(number) || number < 0)
    throw new AppError('invalid', msg`${name} must be a whole number, 0 or more.`, {
      field: name,
      excType: 'ValidationError',
    })
  return number
}

/** The doctype's default order. */
export function defaultOrder(type: Doctype): string {
  return type.list?.order_by ?? 'creation desc'
}
