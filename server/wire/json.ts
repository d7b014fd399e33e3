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

const [quote, backslash, comma, bracket, brace] = [...'"\\,[{'].map((character) => character.charCodeAt(0))

/**
 * Counts separators and openings outside of texts: each value stands after one of them. Reading an object of a million
 * keys would keep everybody waiting for seconds; looking for commas takes a millisecond for each megabyte.
 */
function refuseManyValues(text: string): void {
  let count = 0
  let inText = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) inText = !inText
    else if (inText) {
      if (code === backslash) at += 1
    } else if (code === comma || code === bracket || code === brace) {
      count += 1
      // An object or list and its first member each count one.
      if (count > 2 * maxValues) throw refused(say`The request holds more than ${maxValues} values.`)
    }
  }
}
