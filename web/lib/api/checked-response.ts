import type { Doctype } from '#shared/doctype.ts'
import { doctypes, type DoctypeName } from '#shared/doctypes/registry.ts'
import { isObject } from '#shared/parse-json.ts'
import { ApiError, unreadableMessage } from './api-error.ts'

/** What a page can't show: the response of something else than this server, or of another version of it. */
const unreadable = () => new ApiError(unreadableMessage, { httpStatus: 502 })

/** Fields without which a page would show a state that nobody reported. */
const needed = ['status'] as const

/**
 * A response as a document of the doctype. Throws `ApiError` unless it is an object with a name, the fields that say what state
 * it is in, and values of the described types. Fields the user can't read may be missing.
 */
export function checkedDoc<T>(doctype: DoctypeName, value: unknown): T {
  const type: Doctype | undefined = doctypes.find(({ name }) => name === doctype)
  if (!isObject(value) || typeof value['name'] !== 'string' || value['name'] === '') throw unreadable()
  for (const name of needed) if (type?.fields[name]?.default !== undefined && !value[name]) throw unreadable()
  for (const [name, field] of Object.entries(type?.fields ?? {})) {
    if (!hasType(field, value[name])) throw unreadable()
  }
  return value as T
}

/** What decides the type of a value. */
type Described = Pick<Doctype['fields'][string], 'fieldtype' | 'is_list'>

function hasType({ fieldtype, is_list }: Described, value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (fieldtype === 'Check' || fieldtype === 'Int' || fieldtype === 'Float') return typeof value === 'number'
  if (fieldtype === 'JSON') return typeof value === 'object' && (!is_list || isListOf(is_list, value))
  if (fieldtype === 'Table') return Array.isArray(value) && value.every(isObject)
  return typeof value === 'string'
}

function isListOf(entries: NonNullable<Described['is_list']>, value: unknown): boolean {
  if (!Array.isArray(value)) return false
  if (entries === 'texts') return value.every((entry) => typeof entry === 'string')
  const fields = Object.entries(entries)
  return value.every(
    (entry) =>
      isObject(entry) &&
      fields.every(([name, field]) => hasType(field, entry[name]) && (!field.reqd || Boolean(entry[name]))),
  )
}

/**
 * A response as rows of a list. Throws `ApiError` unless each has the name and the state if they were asked for, and values of
 * the described types. Fields the user can't read may be missing. `fields` as in the request; by default only the name.
 */
export function checkedRows<T>(value: unknown, doctype: string, fields: readonly string[] = ['name']): T[] {
  if (!Array.isArray(value)) throw unreadable()
  const type: Doctype | undefined = doctypes.find(({ name }) => name === doctype)
  const columns = fields.map((field) => columnOf(type, field))
  for (const row of value) {
    if (!isObject(row)) throw unreadable()
    for (const { key, described, isNeeded } of columns) {
      const given = row[key]
      if (
        (isNeeded && (given === undefined || given === null || given === '')) ||
        (described && !hasType(described, given))
      )
        throw unreadable()
    }
  }
  return value as T[]
}

/** A requested field of a list: `status`, `server.hostname as server_title`, `count(name) as n`. */
function columnOf(type: Doctype | undefined, field: string): { key: string; described?: Described; isNeeded: boolean } {
  const key = field.split(' as ').at(-1) ?? field
  if (field.startsWith('count(')) return { key, described: { fieldtype: 'Int' }, isNeeded: true }
  if (key === 'name' || key.endsWith('_title'))
    return { key, described: { fieldtype: 'Data' }, isNeeded: key === 'name' }
  const described = type?.fields[key]
  if (!described) return { key, isNeeded: false }
  return { key, described, isNeeded: described.default !== undefined && needed.some((name) => name === key) }
}

/** A response as numbers by group. Throws `ApiError` unless each row has its number. */
export function checkedGroups<T>(value: unknown): T[] {
  return checkedRows(value, '', ['count(name) as n'])
}

/** A schema of a response, as those of `shared/responses`. */
export interface Checkable<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false }
}

/** A response as its schema describes it. Throws `ApiError` for any other. */
export function checkedResult<T>(schema: Checkable<T>, value: unknown): T {
  // JSON has no `undefined`: an action without a result has no `message` at all.
  const parsed = schema.safeParse(value ?? null)
  if (!parsed.success) throw unreadable()
  return parsed.data
}

/** A response as a number of documents. Throws `ApiError` if it is none. */
export function checkedCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw unreadable()
  return value
}
