import { checkJson, maxValues } from '#server/platform/json-values.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

const invalidRequest = (localized: LocalizedMessage) => new AppError('invalid', localized)

/**
 * Parses JSON from a client and validates it: nesting, number of values, strings, numbers, keys. Throws only AppError
 * `invalid` (417).
 */
export function parseJson(text: string, what: LocalizedMessage = msg`The request body`): unknown {
  assertValueLimit(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AppError('invalid', msg`${what} is not valid JSON.`, { cause: error })
  }
  checkJson(value)
  return value
}

const [quote, backslash, comma, bracket, brace] = [...'"\\,[{'].map((character) => character.charCodeAt(0))

/**
 * Counts separators and opening brackets outside of strings: each value follows one. Parsing an object with a million keys
 * would block the server for seconds; counting commas takes a millisecond per megabyte.
 */
function assertValueLimit(text: string): void {
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    else if (code === comma || code === bracket || code === brace) {
      count += 1
      // An object or list counts once, and its first member once more.
      if (count > 2 * maxValues) throw invalidRequest(msg`The request holds more than ${maxValues} values.`)
    }
  }
}

/** Number of characters scanned one by one after an escaped quote, because escapes come in clusters. */
const scanLength = 256

/**
 * The end of the string that starts at `from`. Uses indexOf, because the content of a file is one string of many megabytes.
 */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; ;) {
    const found = text.indexOf('"', at)
    if (found < 0) return text.length
    let escapes = found
    while (escapes > at && text.charCodeAt(escapes - 1) === backslash) escapes -= 1
    if ((found - escapes) % 2 === 0) return found
    const until = found + scanLength
    for (at = found + 1; at < until; at += 1) {
      const code = text.charCodeAt(at)
      if (code === quote) return at
      if (code === backslash) at += 1
    }
  }
}
