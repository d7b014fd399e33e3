import { AppError } from '#shared/errors.ts'
import { checkText, isSafeKey } from '#server/platform/json-values.ts'
import { msg } from '#shared/localized-message.ts'
import { parseJson } from './json.ts'

/** Parameters of a call: own properties only, no prototype. Values are strings (query, form) or native JSON (body). */
export type Params = Record<string, unknown>

/** Maximum number of parameters in a query or form. */
const maxParameters = 1000

const tooMany = () => new AppError('invalid', msg`The request holds more than ${maxParameters} parameters.`)

/**
 * Rejects a query or form with too many separators before parsing it: parsing `a&a&…` takes quadratic time (24 MB of it
 * blocked the program for minutes).
 */
function assertParameterLimit(text: string): void {
  let count = 0
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    count += 1
    if (count > maxParameters) throw tooMany()
  }
}

/** Decodes a UTF-8 body; 417 if it is invalid. A byte order mark is dropped. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new AppError('invalid', msg`The request is not valid UTF-8.`, { cause: error })
  }
}

/**
 * Parses `a=1&b=2` (query or form). The first of several equal names wins; `a[]=x` collects a list under `a`, as axios sends
 * it.
 */
export function parsePairs(text: string): Params {
  assertParameterLimit(text)
  const params = emptyParams()
  let count = 0
  for (const [rawName, value] of new URLSearchParams(text)) {
    count += 1
    if (count > maxParameters) throw tooMany()
    addPair(params, rawName, value)
  }
  return params
}

/** Validates and adds one pair of a query or form. */
export function addPair(params: Params, rawName: string, value: string): void {
  const inList = rawName.endsWith('[]')
  const name = inList ? rawName.slice(0, -2) : rawName
  if (!isSafeKey(name)) {
    throw new AppError('invalid', msg`The request holds the parameter ${name}, which is not allowed.`, { field: name })
  }
  checkText(name, name)
  checkText(value, name)
  const known = params[name]
  if (!inList) params[name] = known ?? value
  else if (Array.isArray(known)) known.push(value)
  else if (known === undefined) params[name] = [value]
}

/** Parses a JSON body into parameters; null if it is empty. A list becomes the parameter `data`. */
export function parseJsonBody(bytes: Uint8Array): Params | null {
  const text = decodeUtf8(bytes)
  if (text.trim() === '') return null
  const value = parseJson(text)
  if (Array.isArray(value)) return Object.assign(emptyParams(), { data: value })
  if (typeof value !== 'object' || value === null)
    throw new AppError('invalid', msg`The request body must be a JSON object.`)
  return Object.assign(emptyParams(), value)
}

/** Parameter sources of a request. */
export interface Sources {
  query: Params
  form?: Params | null
  /** A JSON body replaces the query and form. */
  json?: Params | null
}

/**
 * Merges the sources: a JSON body alone, else query and form, where the form takes precedence. `_` (a cache buster) is
 * dropped.
 */
export function mergeParameters(sources: Sources): Params {
  const params = Object.assign(emptyParams(), sources.json ?? { ...sources.query, ...sources.form })
  delete params['_']
  return params
}

function emptyParams(): Params {
  return Object.create(null)
}
