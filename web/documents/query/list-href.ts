import type { FilterTriple } from '#shared/doctype.ts'

/** URL of a list with exactly these filters, and, if given, alternatives of which one must match. */
export function listHref(path: string, filters: readonly FilterTriple[], any: readonly FilterTriple[] = []): string {
  const params = new URLSearchParams()
  for (const [field, operator, value] of filters) params.append(field, JSON.stringify([operator, value]))
  if (any.length > 0) params.set('any', JSON.stringify(any))
  return `${path}?${params.toString()}`
}
