/** Whether two converted values are equal. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if ((a ?? null) === null || (b ?? null) === null) return (a ?? null) === (b ?? null)
  return typeof a === 'object' && typeof b === 'object' && canonicalJson(a) === canonicalJson(b)
}

/** JSON with sorted keys, so that equal values have equal text (jsonb doesn't preserve the key order). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
