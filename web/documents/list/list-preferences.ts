import type { Doctype, FilterOperator, FilterTriple } from '#shared/doctype.ts'
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
const rememberedFields: Readonly<Record<string, string>> = { status: 'status', organization_role: 'role' }

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function strings(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : null
}

/** Fields of a doctype whose filter is stored. */
function rememberedFieldsOf(type: Doctype): string[] {
  return Object.keys(rememberedFields).filter((field) => Object.hasOwn(type.fields, field))
}

function ownOf(preferences: unknown, doctype: string): Record<string, unknown> {
  const lists = isRecord(preferences) ? preferences['lists'] : null
  const own = isRecord(lists) ? lists[doctype] : null
  return isRecord(own) ? own : {}
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

/** The stored preferences with part of one list's replaced (undefined resets it to the default). */
export function withListPreference(
  preferences: unknown,
  doctype: string,
  part: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const all = isRecord(preferences) ? preferences : {}
  const lists = isRecord(all['lists']) ? all['lists'] : {}
  return { ...all, lists: { ...lists, [doctype]: { ...ownOf(preferences, doctype), ...part } } }
}

/**
 * What to store of a filter change, by preference: the new pair, 'none' if the user removed the filter, or undefined for the
 * default. Several filters on one field are not stored.
 */
export function changedFilterPreferences(
  type: Doctype,
  before: readonly FilterTriple[],
  after: readonly FilterTriple[],
): Record<string, unknown> {
  const pairs = (filters: readonly FilterTriple[], field: string) =>
    filters.filter(([name]) => name === field).map(([, operator, value]) => [operator, value] as const)
  const change: Record<string, unknown> = {}
  for (const field of rememberedFieldsOf(type)) {
    const now = pairs(after, field)
    if (JSON.stringify(pairs(before, field)) === JSON.stringify(now) || now.length > 1) continue
    const isUsual = JSON.stringify(now) === JSON.stringify(pairs(type.list?.filters ?? [], field))
    change[rememberedFields[field] ?? field] = isUsual ? undefined : (now[0] ?? 'none')
  }
  return change
}
