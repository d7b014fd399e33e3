/* Results of management scripts, which a site can replace: everything is checked and bounded. */

/** Numbers by name, at most 500. */
export function rowsOf(value: unknown): [name: string, count: number][] {
  if (!Array.isArray(value)) return []
  return value.slice(0, 500).flatMap((pair: unknown): [string, number][] => {
    const [name, count]: unknown[] = Array.isArray(pair) ? pair : []
    return typeof name === 'string' && typeof count === 'number' && Number.isSafeInteger(count) && count >= 0
      ? [[name.slice(0, 100), count]]
      : []
  })
}

/** Texts, at most 200. */
export function textsOf(value: unknown, length = 300): string[] {
  if (!Array.isArray(value)) return []
  return value
    .slice(0, 200)
    .filter((text) => typeof text === 'string')
    .map((text) => text.slice(0, length))
}

/** Lists of texts, at most 100. */
export function tuplesOf(value: unknown): string[][] {
  return Array.isArray(value) ? value.slice(0, 100).map((tuple: unknown) => textsOf(tuple)) : []
}

/** A number that counts something; 0 for anything else. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
