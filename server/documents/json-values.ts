import { AppError } from '#shared/errors.ts'

/** Deepest nesting of a request's JSON. */
export const maxDepth = 32
/** Most values (members and items together) of a request's JSON. */
export const maxValues = 50_000

/** Keys that reach into prototypes; no document, filter or parameter has them. */
const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const refused = (message: string) => new AppError('invalid', message)

/** Throws 417 for text that PostgreSQL or UTF-8 cannot hold: NUL and single surrogates. */
export function checkText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) throw refused('The request holds characters that cannot be stored.')
}

/** Whether a name may be used as a key of a request. */
export function isSafeKey(key: string): boolean {
  return !refusedKeys.has(key)
}

/**
 * Throws 417 for a parsed JSON value that is nested too deeply, too large, or holds a text, number or key that cannot be
 * stored or is refused. No recursion: depth is the client's to choose.
 */
export function checkJson(root: unknown): void {
  let level: unknown[] = [root]
  let count = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw refused(`The request is nested deeper than ${maxDepth} levels.`)
    count += level.length
    if (count > maxValues) throw refused(`The request holds more than ${maxValues} values.`)
    const next: unknown[] = []
    for (const value of level) addChildren(value, next)
    level = next
  }
}

function addChildren(value: unknown, next: unknown[]): void {
  if (typeof value === 'string') checkText(value)
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refused('The request holds a number that is too large.')
  } else if (Array.isArray(value)) for (const item of value) next.push(item)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (!isSafeKey(key)) throw refused(`The request holds the key ${key}, which is not allowed.`)
      checkText(key)
      next.push(item)
    }
  }
}
