import { int } from '#shared/fields.ts'
import type { FilterTriple } from '#shared/doctype.ts'

/** Parameters of all lists here. A limit of 0 means the maximum, 500. */
export const pageParams = {
  limit: int({ default: 20, min: 0, max: 500 }),
  limit_start: int({ default: 0, min: 0, max: 1_000_000_000 }),
} as const

/** The requested page, newest first. */
export function newestPage(params: Record<string, unknown>): {
  order_by: string
  limit: number
  limit_start: number
} {
  return {
    order_by: 'creation desc',
    limit: Number(params['limit'] ?? 20) || 500,
    limit_start: Number(params['limit_start'] ?? 0),
  }
}

/** Filters for one of the fields containing the text, case-insensitive; none without a search text. */
export function containsText(fields: readonly string[], txt: unknown): FilterTriple[] {
  if (typeof txt !== 'string' || txt.trim() === '') return []
  const pattern = `%${txt.trim().replaceAll(/[\\%_]/g, '\\$&')}%`
  return fields.map((field) => [field, 'like', pattern])
}

/** Filters for the given values; none for a field without a value. */
export function equals(values: Record<string, unknown>): FilterTriple[] {
  return Object.entries(values).flatMap(([field, value]): FilterTriple[] =>
    value === undefined || value === null ? [] : [[field, '=', value]],
  )
}
