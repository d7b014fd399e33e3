import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** Maximum nesting depth of a request's JSON. */
export const maxDepth = 32
/** Maximum number of values (members and items together) in a request's JSON. */
export const maxValues = 50_000

/** Keys that could modify prototypes; no document, filter or parameter uses them. */
const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const invalidRequest = (localized: LocalizedMessage, field?: string) =>
  new AppError('invalid', localized, field === undefined ? {} : { field: field.slice(0, 140).toWellFormed() })

/** Throws 417 for text that PostgreSQL or UTF-8 can't store: NUL and unpaired surrogates. `field`: the field to report. */
export function checkText(text: string, field?: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw invalidRequest(msg`The request holds characters that cannot be stored.`, field)
}

/** Whether a name can be used as a key in a request. */
export function isSafeKey(key: string): boolean {
  return !unsafeKeys.has(key)
}

/**
 * Throws 417 for a parsed JSON value that is nested too deeply, has too many values, or contains a text, number or key that
 * can't be stored or is forbidden. The error names the root member that contains it. Not recursive, because clients control
 * the depth.
 */
export function checkJson(root: unknown): void {
  let level: Inner[] = [{ value: root, field: undefined }]
  let count = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw invalidRequest(msg`The request is nested deeper than ${maxDepth} levels.`, level[0]?.field)
    count += level.length
    if (count > maxValues)
      throw invalidRequest(msg`The request holds more than ${maxValues} values.`, level.at(-1)?.field)
    const next: Inner[] = []
    for (const inner of level) addChildren(inner, next)
    level = next
  }
}

/** A nested value, and the root member that contains it. */
interface Inner {
  value: unknown
  field: string | undefined
}

function addChildren({ value, field }: Inner, next: Inner[]): void {
  if (typeof value === 'string') checkText(value, field)
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalidRequest(msg`The request holds a number that is too large.`, field)
  } else if (Array.isArray(value)) for (const item of value) next.push({ value: item, field })
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (!isSafeKey(key))
        throw invalidRequest(msg`The request holds the key ${key}, which is not allowed.`, field ?? key)
      checkText(key, field ?? key)
      next.push({ value: item, field: field ?? key })
    }
  }
}
