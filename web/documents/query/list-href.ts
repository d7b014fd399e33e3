import type { FilterTriple } from '#shared/doctype.ts'

/** URL of a list with exactly these filters. */
export function listHref(path: string, filters: readonly FilterTriple[]): string {
  const params = new URLSearchParams()
  for (const [field, operator, value] of filters) params.append(field, JSON.stringify([operator, value]))
  return `${path}?${params.toString()}`
}
