/**
 * Stands in a side of an activity entry (`before`, `after`) for a value that was too large to be kept. Whoever has the
 * value can prove by its hash that it was this one.
 */
export interface OmittedValue {
  readonly omitted: {
    /** Size of the value as JSON in UTF-8. */
    readonly bytes: number
    /** SHA-256 of that JSON (keys sorted, no spaces) in hex; absent where even hashes would have been too much. */
    readonly sha256?: string
  }
}

/** What is known of an omitted value; null for every other value. */
export function omittedOf(value: unknown): OmittedValue['omitted'] | null {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'omitted') return null
  const { omitted } = value as { omitted: unknown }
  if (typeof omitted !== 'object' || omitted === null) return null
  const { bytes, sha256, ...more } = omitted as Record<string, unknown>
  if (typeof bytes !== 'number' || Object.keys(more).length > 0) return null
  if (sha256 === undefined) return { bytes }
  return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) ? { bytes, sha256 } : null
}

/** An omitted value in words, e.g. "12.3 KB, SHA-256 5e88…" with the whole hash. */
export function omittedText({ bytes, sha256 }: OmittedValue['omitted']): string {
  const size = bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1).replace(/\.0$/, '')} KB`
  return sha256 === undefined ? `${size}, not kept` : `${size}, SHA-256 ${sha256}`
}
