import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { parseJson } from './json.ts'
import type { Params } from './parameters.ts'

const typeError = (name: string, localized: LocalizedMessage) =>
  new AppError('invalid', localized, { field: name, excType: 'FrappeTypeError' })

/** A required text parameter. 417 if missing; 417 FrappeTypeError for a list or object. */
export function requiredText(params: Params, name: string): string {
  const value = optionalText(params, name)
  if (value === null) throw missingParameter(name)
  return value
}

/** The error for a required parameter that was not sent. */
export function missingParameter(name: string): AppError {
  return new AppError('invalid', msg`The parameter ${name} is missing.`, { field: name })
}

/** A text parameter; null if missing or empty. Numbers become text, as in a query. */
export function optionalText(params: Params, name: string): string | null {
  const value = params[name]
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw typeError(name, msg`The parameter ${name} must be text.`)
}

/** A boolean parameter in any of its forms (true, 1, "1", "true"). */
export function booleanParameter(params: Params, name: string, fallback: boolean): boolean {
  const value = params[name]
  if (value === undefined || value === null || value === '') return fallback
  if (value === true || value === 1 || value === '1' || value === 'true') return true
  if (value === false || value === 0 || value === '0' || value === 'false') return false
  throw typeError(name, msg`The parameter ${name} must be true or false.`)
}

/**
 * A structured parameter, native or as JSON text; undefined if missing or empty. Text that cannot be a JSON list or object
 * is returned as is, because some parameters may also be a plain name.
 */
export function parseStructured(params: Params, name: string): unknown {
  const value = params[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string' && /^\s*[[{"]/.test(value)) return parameterJson(value, name)
  return value
}

/** Parses the JSON text of a parameter; errors name the parameter. */
function parameterJson(text: string, name: string): unknown {
  try {
    return parseJson(text, msg`The parameter ${name}`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(error.code, error.localized, { field: name, cause: error })
  }
}

/** A structured parameter that must be an object. */
export function requiredObject(params: Params, name: string): Record<string, unknown> {
  const value = parseStructured(params, name)
  if (value === undefined) throw new AppError('invalid', msg`The parameter ${name} is missing.`, { field: name })
  if (!isObject(value)) throw typeError(name, msg`The parameter ${name} must be an object.`)
  return value
}

/** A structured parameter that must be a list of at most `most` objects. */
export function requiredObjects(params: Params, name: string, most: number): Record<string, unknown>[] {
  const value = parseStructured(params, name)
  if (!Array.isArray(value)) throw typeError(name, msg`The parameter ${name} must be a list.`)
  if (value.length > most)
    throw new AppError('invalid', msg`The parameter ${name} can have ${most} entries at the most.`, { field: name })
  return value.map((entry: unknown) => {
    const object = typeof entry === 'string' ? parameterJson(entry, name) : entry
    if (!isObject(object)) throw typeError(name, msg`The parameter ${name} must be a list of objects.`)
    return object
  })
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
