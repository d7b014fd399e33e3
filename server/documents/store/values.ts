import { sameValue } from '#shared/same-value.ts'
import { fieldLabel, type Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields.ts'
import { containsCardNumber } from '#shared/rules/card-numbers.ts'
import { checkFormat } from '#shared/rules/formats.ts'
import { sanitizeSingleLine, sanitizeMultilineText } from '#shared/rules/texts.ts'
import { msg, type LocalizedMessage, labelMessage } from '#shared/localized-message.ts'
import { checkJson } from '#server/platform/json-values.ts'

/** Replaces a stored secret in everything the store returns. */
export const secretMask = '*****'

/** Maximum number of rows of a Table field in one write: sized for manual edits, not for bulk imports. */
const maxRows = 1000

/** Whether a value consists only of asterisks, which echoes the mask: the secret stays unchanged. */
export function isMask(value: unknown): boolean {
  return typeof value === 'string' && /^\*+$/.test(value)
}

const labelled = (name: string, field: Field): LocalizedMessage => labelMessage(fieldLabel(name, field))

const dataError = (name: string, localized: LocalizedMessage) =>
  new AppError('invalid', localized, { field: name, excType: 'DataError' })

/**
 * Converts a value in any format the API accepts (strings for numbers, true for 1) to the field's type; null if unset.
 * Throws AppError `invalid` naming the field.
 */
export function coerce(name: string, field: Field, value: unknown): unknown {
  if (value === undefined || value === null)
    return field.fieldtype === 'Check' ? 0 : field.fieldtype === 'Table' ? [] : null
  switch (field.fieldtype) {
    case 'Check':
      if (value === true || value === 1 || value === '1' || value === 'true') return 1
      if (value === false || value === 0 || value === '0' || value === 'false' || value === '') return 0
      throw dataError(name, msg`${labelled(name, field)} must be 0 or 1.`)
    case 'Int':
    case 'Float':
      return coerceNumber(name, field, value)
    case 'Datetime':
      return value === '' ? null : coerceDatetime(name, field, value)
    case 'Date':
      return value === '' ? null : coerceDatetime(name, field, value).slice(0, 10)
    case 'JSON':
      return coerceJson(name, field, value)
    case 'Table':
      if (!Array.isArray(value) || !value.every(isRow))
        throw dataError(name, msg`${labelled(name, field)} must be a list of rows.`)
      if (value.length > maxRows)
        throw dataError(name, msg`${labelled(name, field)} can have ${maxRows} rows at the most.`)
      return value
    default:
      return coerceText(name, field, value)
  }
}

/**
 * Converts a value of a document: like `coerce`, and also sanitizes texts entered by users (control and bidirectional
 * characters). Fields with a format are validated by it instead, and secrets aren't sanitized.
 */
export function documentValue(name: string, field: Field, value: unknown): unknown {
  const typed = coerce(name, field, value)
  if (typeof typed !== 'string' || field.format) return typed
  if (field.fieldtype === 'Data') return sanitizeSingleLine(typed) || null
  return field.fieldtype === 'Small Text' || field.fieldtype === 'Long Text'
    ? sanitizeMultilineText(typed) || null
    : typed
}

/**
 * Throws for the first invalid value, required or not, so that hooks only see valid values. Expects values converted by
 * `documentValue`.
 */
export function assertValidValues(type: Doctype, given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
    const problem = field ? validationError(name, field, value ?? null) : null
    if (problem) throw new AppError('invalid', problem.message, { field: name, excType: problem.excType })
  }
}

const isRow = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

function coerceText(name: string, field: Field, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new AppError('invalid', msg`${labelled(name, field)} must be text.`, {
      field: name,
      excType: 'FrappeTypeError',
    })
  }
  const textValue = String(value)
  // PostgreSQL can't store NUL, and unpaired surrogates would be returned as something else.
  if (textValue.includes('\0') || !textValue.isWellFormed())
    throw dataError(name, msg`${labelled(name, field)} holds characters that cannot be stored.`)
  return textValue === '' ? null : textValue
}

function coerceNumber(name: string, field: Field, value: unknown): number | null {
  if (value === '') return null
  const number =
    typeof value === 'boolean' ? Number(value) : typeof value === 'string' ? Number(value.trim() || Number.NaN) : value
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw dataError(name, msg`${labelled(name, field)} must be a number.`)
  if (field.fieldtype === 'Int' && !Number.isSafeInteger(number))
    throw dataError(name, msg`${labelled(name, field)} must be a whole number.`)
  return number
}

const datetimePattern = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?(?:Z|\+00:00)?$/

/** Converts any accepted timestamp format to `YYYY-MM-DD HH:MM:SS.ffffff`. */
function coerceDatetime(name: string, field: Field, value: unknown): string {
  const match = typeof value === 'string' ? datetimePattern.exec(value.trim()) : null
  if (!match)
    throw dataError(name, msg`${labelled(name, field)} must be a date, e.g. 2026-01-31 or 2026-01-31 14:05:00.`)
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = ''] = match
  const check = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(check.getTime()) || check.getUTCDate() !== Number(day) || Number(year) === 0)
    throw dataError(name, msg`${labelled(name, field)} is not a real date.`)
  return `${year}-${month}-${day} ${hour}:${minute}:${second}.${fraction.padEnd(6, '0')}`
}

function coerceJson(name: string, field: Field, value: unknown): unknown {
  if (value === '') return null
  const parsed = typeof value === 'string' ? parsedJson(name, field, value) : value
  checkJson(parsed)
  return parsed
}

function tooLarge(name: string, field: Field, most: number): LocalizedMessage {
  return msg`${labelled(name, field)} can have ${most / 1024} KB at the most.`
}

function parsedJson(name: string, field: Field, text: string): unknown {
  // Check the length before parsing, which takes longer than everything else done with the text. An escaped character takes
  // six characters.
  const most = field.max_bytes
  if (most !== undefined && text.length > most * 6) throw dataError(name, tooLarge(name, field, most))
  try {
    return JSON.parse(text)
  } catch {
    throw dataError(name, msg`${labelled(name, field)} must be valid JSON.`)
  }
}

/** Validation error of a converted value, or null. Required fields are checked by `validateDocument`. */
export function validationError(
  name: string,
  field: Field,
  value: unknown,
): { message: LocalizedMessage; excType: string } | null {
  const label = labelled(name, field)
  // A mask is the stored secret.
  if (value === null || (field.secret && isMask(value))) return null
  if (typeof value === 'string' && field.fieldtype !== 'JSON') {
    const longest = field.length ?? 140
    if ([...value].length > longest && !['Select', 'Datetime', 'Date'].includes(field.fieldtype)) {
      return {
        message: msg`${label} can have ${longest} characters at the most.`,
        excType: 'CharacterLengthExceededError',
      }
    }
    if (field.fieldtype === 'Select' && !field.options.includes(value)) {
      return {
        message: msg`${label} must be one of ${field.options.map((one) => labelMessage(one))}.`,
        excType: 'ValidationError',
      }
    }
    const format = field.format ? checkFormat(field.format, value) : null
    if (format)
      return { message: format, excType: field.format === 'email' ? 'InvalidEmailAddressError' : 'ValidationError' }
  }
  if (
    typeof value === 'number' &&
    ((field.min !== undefined && value < field.min) || (field.max !== undefined && value > field.max))
  ) {
    return {
      message: msg`${label} must be between ${field.min ?? '−∞'} and ${field.max ?? '∞'}.`,
      excType: 'ValidationError',
    }
  }
  const most = field.max_bytes
  if (most !== undefined && Buffer.byteLength(JSON.stringify(value)) > most)
    return { message: tooLarge(name, field, most), excType: 'ValidationError' }
  if (field.refuses_card_numbers && containsCardNumber(typeof value === 'string' ? value : JSON.stringify(value))) {
    return { message: msg`${label} can't contain the number of a payment card.`, excType: 'ValidationError' }
  }
  return null
}

/**
 * Throws for the first invalid value, or one MandatoryError naming every missing field. Values unchanged since `before`
 * aren't validated again: a limit added later must not block unrelated changes.
 */
export function validateDocument(
  type: Doctype,
  doc: Record<string, unknown>,
  before: Record<string, unknown> | null = null,
): void {
  const missing: { name: string; label: LocalizedMessage | string }[] = []
  for (const [name, field] of Object.entries(type.fields)) {
    const value = doc[name]
    if (field.reqd && (value === null || value === undefined || value === ''))
      missing.push({ name, label: labelled(name, field) })
    if (before !== null && sameValue(value, before[name])) continue
    const problem = validationError(name, field, value ?? null)
    if (problem) throw new AppError('invalid', problem.message, { field: name, excType: problem.excType })
  }
  const [first] = missing
  if (first) {
    const names = missing.map(({ name }) => name)
    throw new AppError('invalid', msg`[${labelMessage(type.name)}, ${String(doc.name ?? '')}]: ${names}`, {
      field: first.name,
      excType: 'MandatoryError',
      messages: missing.map(({ name, label }) => ({
        field: name,
        message: msg`Error: Value missing for ${labelMessage(type.name)}: ${label}`,
      })),
    })
  }
}
