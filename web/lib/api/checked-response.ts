import type { Doctype } from '#shared/doctype.ts'
import type { DoctypeName } from '#shared/doctypes/document-of.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
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
    if (!hasType(field.fieldtype, value[name])) throw unreadable()
  }
  return value as T
}

function hasType(fieldtype: string, value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (fieldtype === 'Check' || fieldtype === 'Int' || fieldtype === 'Float') return typeof value === 'number'
  if (fieldtype === 'JSON') return true
  if (fieldtype === 'Table') return Array.isArray(value) && value.every(isObject)
  return typeof value === 'string'
}

/** A response as rows of a list. Throws `ApiError` unless it is an array of objects. */
export function checkedRows<T>(value: unknown): T[] {
  if (!Array.isArray(value) || !value.every(isObject)) throw unreadable()
  return value as T[]
}

/** A response as a number of documents. Throws `ApiError` if it is none. */
export function checkedCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw unreadable()
  return value
}
