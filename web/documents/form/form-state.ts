import { fieldLabel, tenantField, type Doctype } from '#shared/doctype.ts'
import type { Field } from '#shared/fields.ts'
import { translateText, messageText } from '#web/lib/i18n/catalog.ts'
import { t } from './messages.ts'
import { checkFormat } from '#shared/rules/formats.ts'

/** Form values by field name; strings while editing, checks are 0 or 1. */
export type FormValues = Readonly<Record<string, string | number | null>>

/** Errors by field name, one sentence each. */
export type FormErrors = Readonly<Record<string, string>>

/** An additional validation rule: an error message, or null if the value is valid. */
export type FieldCheck = (value: string, values: FormValues) => string | null

/** The fields of a form, described like a doctype's, in order. */
export interface FormDescription {
  readonly fields: Readonly<Record<string, Field>>
  readonly names: readonly string[]
  /** Messages for missing required fields, where they differ from the default. */
  readonly missing?: Readonly<Record<string, string>>
  /** Validation beyond the description (e.g. site names), by field. */
  readonly checks?: Readonly<Record<string, FieldCheck>>
  /** Fields hidden for the current values: not rendered, validated or sent. */
  readonly hidden?: (name: string, values: FormValues) => boolean
}

/** A form for some fields of a doctype. */
export function doctypeForm(
  type: Doctype,
  names: readonly string[],
  extra: Pick<FormDescription, 'checks' | 'hidden'> = {},
): FormDescription {
  return { fields: type.fields, names, ...extra }
}

/** Fields a user can set when creating a document, in the description's order, without the organization, which is known. */
export function insertNames(type: Doctype): string[] {
  return Object.keys(type.fields).filter((name) => {
    const field = type.fields[name]
    if (!field || field.hidden || field.read_only || field.server_owned || name === tenantField(type)) return false
    return field.fieldtype !== 'Table' && field.fieldtype !== 'JSON'
  })
}

/** Names of the fields shown for the current values. */
export function visibleNames(form: FormDescription, values: FormValues): string[] {
  return form.names.filter((name) => name in form.fields && !form.hidden?.(name, values))
}

/** Initial values: the given ones, else the description's defaults, else empty. */
export function startValues(form: FormDescription, given: FormValues = {}): FormValues {
  return Object.fromEntries(
    form.names.map((name) => {
      const initial = given[name] ?? form.fields[name]?.default
      return [name, typeof initial === 'number' || typeof initial === 'string' ? initial : '']
    }),
  )
}

function checkNumber(field: Field, label: string, text: string): string | null {
  const number = Number(text)
  if (Number.isNaN(number)) return t('check.number', { label })
  if (field.fieldtype === 'Int' && !Number.isInteger(number)) return t('check.whole', { label })
  if (field.min !== undefined && number < field.min) return t('check.min', { label, min: field.min })
  if (field.max !== undefined && number > field.max) return t('check.max', { label, max: field.max })
  return null
}

/** Error of one field's value, or null. The server validates again. */
export function checkField(form: FormDescription, name: string, values: FormValues): string | null {
  const field = form.fields[name]
  if (!field) return null
  const label = translateText(fieldLabel(name, field))
  const text = String(values[name] ?? '').trim()
  if (text === '') return field.reqd ? (form.missing?.[name] ?? t('check.required', { label })) : null
  if (field.fieldtype === 'Int' || field.fieldtype === 'Float') return checkNumber(field, label, text)
  if (field.fieldtype === 'Select' && Array.isArray(field.options) && !field.options.includes(text))
    return t('check.choice')
  const longest = field.length ?? (field.fieldtype === 'Data' ? 140 : undefined)
  if (longest !== undefined && text.length > longest) return t('check.length', { label, length: longest })
  if (field.format) {
    const problem = checkFormat(field.format, text)
    if (problem) return messageText(problem)
  }
  return form.checks?.[name]?.(text, values) ?? null
}

/** All errors of the form, in field order. */
export function checkForm(form: FormDescription, values: FormValues): FormErrors {
  const errors: Record<string, string> = {}
  for (const name of visibleNames(form, values)) {
    const problem = checkField(form, name, values)
    if (problem) errors[name] = problem
  }
  return errors
}

/** Payload: visible fields only, strings trimmed, numbers as numbers, empty optional fields omitted. */
export function formPayload(form: FormDescription, values: FormValues): Record<string, string | number> {
  const payload: Record<string, string | number> = {}
  for (const name of visibleNames(form, values)) {
    const field = form.fields[name]
    const value = values[name]
    if (field === undefined || value === null || value === undefined || value === '') continue
    if (field.fieldtype === 'Int' || field.fieldtype === 'Float') payload[name] = Number(value)
    else payload[name] = typeof value === 'string' ? value.trim() : value
  }
  return payload
}
