import type { Doctype, FilterOperator } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { isObject } from '#shared/parse-json.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { fieldNotPermitted, resolveColumn, displayValue, type Column, type Readable } from './columns.ts'
import { adjacentPeriodRange, timespanRange } from './timespan.ts'
import { coerce } from '../store/values.ts'

/** A parsed comparison; the value has the column's type. */
export interface Condition {
  readonly column: Column
  readonly operator: FilterOperator
  readonly value: unknown
}

/** Maximum number of comparisons in a request (docs/security.md). */
export const maxConditions = 50

const operators: readonly FilterOperator[] = [
  '=',
  '!=',
  '>',
  '<',
  '>=',
  '<=',
  'like',
  'not like',
  'in',
  'not in',
  'between',
  'is',
  'timespan',
]

/** An operator as sent in a request; `previous` and `next` are rewritten when parsed. */
export type RequestOperator = FilterOperator | 'previous' | 'next'

const requestOperators: readonly RequestOperator[] = [...operators, 'previous', 'next']

/** Context for parsing. */
export interface FilterContext {
  readonly type: Doctype
  readonly typeByName: (name: string) => Doctype | null
  /** Null in our own code: all queryable fields are allowed. */
  readonly readable: Readable | null
}

const invalid = (localized: LocalizedMessage, excType = 'DataError') => new AppError('invalid', localized, { excType })

/** Maximum length of the JSON text of filters or fields: fits 50 conditions and 100 fields. */
const maxTextLength = 64 * 1024
/** Maximum number of values in a list of a request. */
const maxListed = 500
/** Maximum length of a value to compare with. */
const maxOperandLength = 4096

/** Parses JSON text; other values are returned as is. Throws `invalid` for malformed JSON. */
export function parseJsonValue(value: unknown, what: string): unknown {
  if (typeof value !== 'string') return value
  if (value.length > maxTextLength)
    throw invalid(msg`${what} can have ${maxTextLength} characters at the most.`, 'ValidationError')
  if (value.trim() === '') return null
  try {
    return JSON.parse(value)
  } catch {
    throw invalid(msg`${what} must be valid JSON.`, 'ValidationError')
  }
}

/** Error for a request with too many comparisons. */
export function tooManyConditions(): AppError {
  return invalid(msg`At most ${maxConditions} filters are possible.`, 'ValidationError')
}

/** Parses filters in any of the API's formats to conditions. */
export function parseFilters(raw: unknown, context: FilterContext): Condition[] {
  const value = parseJsonValue(raw, 'filters')
  const triples = toTriples(value, context)
  if (triples.length > maxConditions) throw tooManyConditions()
  return triples.map(([field, operator, operand]) => condition(field, operator, operand, context))
}

/**
 * Parses alternatives to groups of conditions, of each of which one must match. A list of lists of filters is several groups,
 * anything else is one.
 */
export function parseAlternatives(raw: unknown, context: FilterContext): Condition[][] {
  const value = parseJsonValue(raw, 'or_filters')
  const groups = isListOfGroups(value) ? value : [value]
  // Counted before parsing: each group is bounded on its own.
  if (groups.length > maxConditions) throw tooManyConditions()
  return groups.map((group) => parseFilters(group, context)).filter((group) => group.length > 0)
}

/** Whether each item is a list of filters. An item of a plain list of filters begins with the name of a field. */
function isListOfGroups(value: unknown): value is unknown[][] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (group) =>
        Array.isArray(group) && group.length > 0 && group.every((one) => typeof one === 'object' && one !== null),
    )
  )
}

type RawTriple = [field: unknown, operator: unknown, value: unknown]

function toTriples(value: unknown, context: FilterContext): RawTriple[] {
  if (value === null || value === undefined || value === '') return []
  if (Array.isArray(value)) {
    if (value.length === 0) return []
    if (value.every((item) => typeof item !== 'object' || item === null) || isFlatTriple(value, context))
      return [listTriple(value, context)]
    return value.flatMap((item) => {
      if (Array.isArray(item)) return [listTriple(item, context)]
      if (isObject(item)) return dictTriples(item)
      throw invalid(msg`Each filter must be a list [field, operator, value].`, 'ValidationError')
    })
  }
  if (isObject(value)) return dictTriples(value)
  throw invalid(msg`filters must be a list or an object.`, 'ValidationError')
}

/** `["status","in",["a"]]`: a single triple whose value is a list. */
function isFlatTriple(value: unknown[], context: FilterContext): boolean {
  const operator = value[0] === context.type.name ? value[2] : value[1]
  return typeof value[0] === 'string' && typeof operator === 'string' && operatorOf(operator) !== null
}

function listTriple(item: unknown[], context: FilterContext): RawTriple {
  // [doctype, field, operator, value, …]: the fifth element is Frappe's "hidden" flag, which is ignored.
  if (item.length >= 4) {
    if (item[0] !== context.type.name) throw fieldNotPermitted(`${displayValue(item[0])}.${displayValue(item[1])}`)
    return [item[1], item[2], item[3]]
  }
  if (item.length === 3) return [item[0], item[1], item[2]]
  if (item.length === 2) return [item[0], '=', item[1]]
  throw invalid(msg`Each filter must be a list [field, operator, value].`, 'ValidationError')
}

function dictTriples(dict: Record<string, unknown>): RawTriple[] {
  return Object.entries(dict).map(([field, value]) => {
    if (Array.isArray(value)) {
      if (value.length !== 2) throw invalid(msg`The filter on ${field} must be [operator, value].`, 'ValidationError')
      return [field, value[0], value[1]]
    }
    return [field, '=', value]
  })
}

/** The operator a text of a request stands for; null if there is none. */
function operatorOf(text: string): RequestOperator | null {
  const operator = text.trim().toLowerCase()
  if (operator === '' || operator === '<>') return operator === '' ? '=' : '!='
  return isOneOf(requestOperators, operator) ? operator : null
}

function condition(field: unknown, rawOperator: unknown, operand: unknown, context: FilterContext): Condition {
  if (typeof field !== 'string') throw invalid(msg`A filter must name its field.`, 'ValidationError')
  const column = resolveColumn(field, context.type, context.typeByName, context.readable)
  if (column.field.fieldtype === 'JSON') throw fieldNotPermitted(field)
  const operatorText = rawOperator === null || rawOperator === undefined ? '=' : rawOperator
  const operator = typeof operatorText === 'string' ? operatorOf(operatorText) : null
  if (!operator) throw invalid(msg`Operator must be one of ${requestOperators}`, 'ValidationError')
  // Our own code asks for as many as there are.
  return operandOf(column, operator, operand, context.readable === null ? Infinity : maxListed)
}

/** Validates and types the operand; some operators are rewritten to simpler ones. */
function operandOf(column: Column, operator: RequestOperator, operand: unknown, most: number): Condition {
  const { name } = column
  const one = (value: unknown): unknown => {
    if (value !== null && typeof value === 'object')
      throw invalid(msg`The filter on ${name} needs a single value.`, 'ValidationError')
    if (typeof value === 'string' && value.length > maxOperandLength)
      throw invalid(msg`A value of the filter on ${name} can have ${maxOperandLength} characters at the most.`)
    return value === '' || value === null || value === undefined ? null : coerceOperand(column, value)
  }
  switch (operator) {
    case 'is': {
      const state = typeof operand === 'string' ? operand.trim().toLowerCase() : ''
      if (state !== 'set' && state !== 'not set')
        throw invalid(msg`The filter on ${name} must be "set" or "not set".`, 'ValidationError')
      return { column, operator, value: state }
    }
    case 'in':
    case 'not in': {
      const list = listOperand(operand)
      if (!list) throw invalid(msg`The filter on ${name} needs a list.`, 'ValidationError')
      if (list.length > most)
        throw invalid(msg`The filter on ${name} can list ${most} values at the most.`, 'ValidationError')
      return { column, operator, value: list.map(one) }
    }
    case 'between': {
      const pair = listOperand(operand)
      if (pair?.length !== 2) throw invalid(msg`The filter on ${name} needs two values.`, 'ValidationError')
      return { column, operator, value: betweenRange(column, pair, one) }
    }
    case 'timespan':
    case 'previous':
    case 'next': {
      if (column.field.fieldtype !== 'Datetime' && column.field.fieldtype !== 'Date')
        throw invalid(msg`${name} holds no date.`, 'ValidationError')
      const range =
        operator === 'timespan'
          ? timespanRange(displayValue(operand), new Date())
          : adjacentPeriodRange(operator, displayValue(operand), new Date())
      return { column, operator: 'between', value: range.map((value) => coerce(name, column.field, value)) }
    }
    case 'like':
    case 'not like': {
      if (operand !== null && typeof operand === 'object')
        throw invalid(msg`The filter on ${name} needs a text.`, 'ValidationError')
      const pattern = operand === null || operand === undefined ? '' : displayValue(operand)
      if (pattern.includes('\0') || !pattern.isWellFormed() || pattern.length > 500)
        throw invalid(msg`The filter on ${name} is not a usable text.`)
      return { column, operator, value: pattern }
    }
    default: {
      const value = one(operand)
      if (value === null && operator !== '=' && operator !== '!=')
        throw invalid(msg`The filter on ${name} needs a value.`, 'ValidationError')
      return { column, operator, value }
    }
  }
}

/** A list as is, or split at commas into at most one part more than allowed; null for anything else. */
function listOperand(operand: unknown): unknown[] | null {
  if (Array.isArray(operand)) return operand
  return typeof operand === 'string' ? operand.split(',', maxListed + 1).map((part) => part.trim()) : null
}

/** For a datetime column, an end value without a time means the end of that day. */
function betweenRange(column: Column, pair: unknown[], one: (value: unknown) => unknown): unknown[] {
  const range = pair.map((value, at) => {
    const isDay = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value.trim())
    return column.field.fieldtype === 'Datetime' && isDay && at === 1
      ? `${String(value).trim()} 23:59:59.999999`
      : value
  })
  const values = range.map(one)
  if (values.includes(null)) throw invalid(msg`The filter on ${column.name} needs two values.`, 'ValidationError')
  return values
}

/** A filter value of the wrong type is reported as a bad filter, not as a bad field. */
function coerceOperand(column: Column, value: unknown): unknown {
  try {
    // A check is compared as a number, so that `> 0` and `= 2` are valid.
    const field =
      column.field.fieldtype === 'Check' && typeof value !== 'boolean'
        ? ({ ...column.field, fieldtype: 'Int' } as const)
        : column.field
    return coerce(column.name, field, value)
  } catch (error) {
    if (error instanceof AppError) throw new AppError('invalid', error.localized, { excType: 'DataError' })
    throw error
  }
}
