import type { Doctype, FilterOperator, FilterTriple } from '#shared/doctype.ts'
import { isObject } from '#shared/parse-json.ts'
import { toFilter } from '../query/list-state.ts'

/** Operator and value of a kept filter; null: explicitly no filter. */
export type KeptFilter = readonly [FilterOperator, unknown] | null

/** A user's stored preferences of a list (docs/contracts/screens.md, section 9). */
export interface ListPreferences {
  columns?: readonly string[]
  /** Kept filters by field. */
  readonly kept: Readonly<Record<string, KeptFilter>>
}

/** Fields whose filter is stored with the account, and the preference key: status filter and role filter. */
export const rememberedFields: Readonly<Record<string, string>> = { status: 'status', organization_role: 'role' }

/** A list of strings; null for anything else. */
export function strings(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : null
}

/** Fields of a doctype whose filter is stored. */
export function rememberedFieldsOf(type: Doctype): string[] {
  return Object.keys(rememberedFields).filter((field) => Object.hasOwn(type.fields, field))
}

/** What is stored of a list. */
export function ownOf(preferences: unknown, doctype: string): Record<string, unknown> {
  const lists = isObject(preferences) ? preferences['lists'] : null
  const own = isObject(lists) ? lists[doctype] : null
  return isObject(own) ? own : {}
}

/** Whether all values of a filter can still be chosen. An outdated stored filter would hide everything, or nothing. */
function isPossible(type: Doctype, [field, operator, value]: FilterTriple): boolean {
  const known = type.fields[field]
  const isPart = operator === 'like' || operator === 'not like'
  if (isPart || known?.fieldtype !== 'Select' || !Array.isArray(known.options)) return true
  const options: readonly unknown[] = known.options
  return (Array.isArray(value) ? value : [value]).every((one) => options.includes(one))
}

/** A list's preferences from the user's stored ones; malformed ones are ignored. */
export function listPreferences(preferences: unknown, type: Doctype): ListPreferences {
  const own = ownOf(preferences, type.name)
  const columns = strings(own['columns'])
  const kept: Record<string, KeptFilter> = {}
  for (const field of rememberedFieldsOf(type)) {
    const stored = own[rememberedFields[field] ?? field]
    if (stored === 'none') kept[field] = null
    const filter = Array.isArray(stored) ? toFilter(field, stored) : null
    if (filter && isPossible(type, filter)) kept[field] = [filter[1], filter[2]]
  }
  return { kept, ...(columns && { columns }) }
}
