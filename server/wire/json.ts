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
 * Parses JSON of a client and checks all of it: nesting, number of values, texts, numbers, keys.
 * Throws AppError `invalid` (417), never anything else.
 */
export function parseJson(text: string, what = 'The request body'): unknown {
  refuseManyValues(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AppError('invalid', `${what} is not valid JSON.`, { cause: error })
  }
  checkJson(value)
  return value
}

/**
 * Counts separators and openings outside of texts: each value stands after one of them. Reading an object of a million
 * keys would keep everybody waiting for seconds; looking for commas takes some ten milliseconds.
 */
function refuseManyValues(text: string): void {
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') at = endOfText(text, at)
    else if (character === ',' || character === '[' || character === '{') {
      count += 1
      // An object or list and its first member each count one.
      if (count > 2 * maxValues) throw refused(`The request holds more than ${maxValues} values.`)
    }
  }
}

/** Where the JSON text that begins at `start` ends: its closing quote, or the end of everything. */
function endOfText(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return quote
  }
  return text.length
}

/** The checks of `parseJson` on a value that is already parsed. No recursion: depth is the client's to choose. */
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
