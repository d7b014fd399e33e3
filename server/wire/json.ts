import { checkJson, maxValues } from '#server/documents/json-values.ts'
import { AppError } from '#shared/errors.ts'
import { say, type Sentence } from '#shared/sentence.ts'

const refused = (sentence: Sentence) => new AppError('invalid', sentence)

/**
 * Parses JSON of a client and checks all of it: nesting, number of values, texts, numbers, keys.
 * Throws AppError `invalid` (417), never anything else.
 */
export function parseJson(text: string, what: Sentence = say`The request body`): unknown {
  refuseManyValues(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AppError('invalid', say`${what} is not valid JSON.`, { cause: error })
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
      if (count > 2 * maxValues) throw refused(say`The request holds more than ${maxValues} values.`)
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
