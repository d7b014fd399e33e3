import { isObject } from '#shared/parse-json.ts'

/** A JSON object in a text; null if it is none. */
export function parseJsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    // A proxy in between may answer with a page.
    return null
  }
}
