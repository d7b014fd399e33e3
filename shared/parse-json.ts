/** The parsed value of a JSON text, or undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a JSON value is an object (not an array, not null). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses JSON text that Easydash wrote itself, whose shape is therefore known. Never use it for text from anywhere else. */
export function parseOwnJson<T>(text: string): T {
  const value: T = JSON.parse(text)
  return value
}
