import { isObject } from './parse-json.ts'

/**
 * Replaces a value in an activity entry (`before`, `after`) that was too large to store. Anyone who has the value can verify
 * it against the hash.
 */
export interface OmittedValue {
  readonly omitted: {
    /** Size of the value as JSON in UTF-8. */
    readonly bytes: number
    /** SHA-256 of that JSON (keys sorted, no spaces) in hex; absent if even the hashes would have been too large. */
    readonly sha256?: string
  }
}

/** Details of an omitted value; null for any other value. */
export function omittedOf(value: unknown): OmittedValue['omitted'] | null {
  if (!isObject(value) || Object.keys(value).join() !== 'omitted' || !isObject(value['omitted'])) return null
  const { bytes, sha256, ...more } = value['omitted']
  if (typeof bytes !== 'number' || Object.keys(more).length > 0) return null
  if (sha256 === undefined) return { bytes }
  return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) ? { bytes, sha256 } : null
}

/** An omitted value as text, for example "12.3 KB, SHA-256 5e88…" with the whole hash. */
export function omittedText({ bytes, sha256 }: OmittedValue['omitted']): string {
  const size = bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1).replace(/\.0$/, '')} KB`
  return sha256 === undefined ? `${size}, not kept` : `${size}, SHA-256 ${sha256}`
}
