import { AppError } from '#shared/errors.ts'
import { checkText, isSafeKey } from '#server/documents/store/json-values.ts'
import { say } from '#shared/sentence.ts'
import { parseJson } from './json.ts'

/** Parameters of a call: own properties only, no prototype. Values are texts (query, form) or native JSON (body). */
export type Params = Record<string, unknown>

/** Most parameters of a query or form. */
const maxParameters = 1000

const tooMany = () => new AppError('invalid', say`The request holds more than ${maxParameters} parameters.`)

/**
 * Refuses a query or form by the number of its separators, before it is read: reading `a&a&…` takes time that grows with
 * the square of their number (24 MB of it stopped the program for minutes).
 */
function refuseManyPairs(text: string): void {
  let count = 0
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    count += 1
    if (count > maxParameters) throw tooMany()
  }
}

/** Bytes of a body as text; 417 when they are not UTF-8. A byte order mark is dropped. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new AppError('invalid', say`The request is not valid UTF-8.`, { cause: error })
  }
}

/** Reads `a=1&b=2` (query or form). The first of several equal names wins; `a[]=x` gathers a list under `a`, as axios writes it. */
export function parsePairs(text: string): Params {
  refuseManyPairs(text)
  const params = emptyParams()
  let count = 0
  for (const [rawName, value] of new URLSearchParams(text)) {
    count += 1
    if (count > maxParameters) throw tooMany()
    addPair(params, rawName, value)
  }
  return params
}

/** Adds one pair of a query or form, with the checks all of them get. */
export function addPair(params: Params, rawName: string, value: string): void {
  const inList = rawName.endsWith('[]')
  const name = inList ? rawName.slice(0, -2) : rawName
  if (!isSafeKey(name)) {
    throw new AppError('invalid', say`The request holds the parameter ${name}, which is not allowed.`, { field: name })
  }
  checkText(name, name)
  checkText(value, name)
  const known = params[name]
  if (!inList) params[name] = known ?? value
  else if (Array.isArray(known)) known.push(value)
  else if (known === undefined) params[name] = [value]
}

/** A JSON body as parameters; null for an empty one. A list becomes the parameter `data`. */
export function parseJsonBody(bytes: Uint8Array): Params | null {
  const text = decodeUtf8(bytes)
  if (text.trim() === '') return null
  const value = parseJson(text)
  if (Array.isArray(value)) return Object.assign(emptyParams(), { data: value })
  if (typeof value !== 'object' || value === null)
    throw new AppError('invalid', say`The request body must be a JSON object.`)
  return Object.assign(emptyParams(), value)
}

/** What a request carries, as far as it is read. */
export interface Sources {
  query: Params
  form?: Params | null
  /** A JSON body replaces query and form. */
  json?: Params | null
}

/** One set of parameters: a JSON body alone, else query and form together, where the form wins. `_` (a cache breaker) is dropped. */
export function mergeParameters(sources: Sources): Params {
  const params = Object.assign(emptyParams(), sources.json ?? { ...sources.query, ...sources.form })
  delete params['_']
  return params
}

function emptyParams(): Params {
  return Object.create(null) as Params
}
