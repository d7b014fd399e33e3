import { fieldLabel, tenantField, type Doctype } from '#shared/doctype.ts'
import type { Field } from '#shared/fields.ts'
import { described, spoken } from '#web/lib/i18n/catalogue.ts'
import { t } from './form-messages.ts'
import { checkFormat } from '#shared/rules/formats.ts'

/** Values of a form by field name; everything is text while it is being typed, checks are 0 or 1. */
export type FormValues = Readonly<Record<string, string | number | null>>

/** Errors by field name, one sentence each. */
export type FormErrors = Readonly<Record<string, string>>

/** A further rule of a form: the sentence for people, or null when the value is fine. */
export type FieldCheck = (value: string, values: FormValues) => string | null

/** What a form asks: fields described like a doctype's, in order. */
export interface FormDescription {
  readonly fields: Readonly<Record<string, Field>>
  readonly names: readonly string[]
  /** What required fields say while they are empty, where the usual sentence does not fit. */
  readonly missing?: Readonly<Record<string, string>>
  /** Rules beyond the description (names of sites and the like), by field. */
  readonly checks?: Readonly<Record<string, FieldCheck>>
  /** Fields that are not asked for with the present values; neither drawn, nor checked, nor sent. */
  readonly hidden?: (name: string, values: FormValues) => boolean
}

/** A form over some fields of a doctype. */
export function doctypeForm(
  type: Doctype,
  names: readonly string[],
  extra: Pick<FormDescription, 'checks' | 'hidden'> = {},
): FormDescription {
  return { fields: type.fields, names, ...extra }
}

/** Fields a person can give when creating a document, in the description's order; the organization is known anyway. */
export function insertNames(type: Doctype): string[] {
  return Object.keys(type.fields).filter((name) => {
    const field = type.fields[name]
    if (!field || field.hidden || field.read_only || field.server_owned || name === tenantField(type)) return false
    return field.fieldtype !== 'Table' && field.fieldtype !== 'JSON'
  })
}

/** Names the form asks for with the present values. */
export function askedNames(form: FormDescription, values: FormValues): string[] {
  return form.names.filter((name) => name in form.fields && !form.hidden?.(name, values))
}

/** Start values: the given ones, else the description's defaults, else empty. */
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

/** The sentence about one field's value, or null. The server checks the same rules again. */
export function checkField(form: FormDescription, name: string, values: FormValues): string | null {
  const field = form.fields[name]
  if (!field) return null
  const label = described(fieldLabel(name, field))
  const text = String(values[name] ?? '').trim()
  if (text === '') return field.reqd ? (form.missing?.[name] ?? t('check.required', { label })) : null
  if (field.fieldtype === 'Int' || field.fieldtype === 'Float') return checkNumber(field, label, text)
  if (field.fieldtype === 'Select' && Array.isArray(field.options) && !field.options.includes(text))
    return t('check.choice')
  const longest = field.length ?? (field.fieldtype === 'Data' ? 140 : undefined)
  if (longest !== undefined && text.length > longest) return t('check.length', { label, length: longest })
  if (field.format) {
    const problem = checkFormat(field.format, text)
    if (problem) return spoken(problem)
  }
  return form.checks?.[name]?.(text, values) ?? null
}

/** Every error of the form, in the order of its fields. */
export function checkForm(form: FormDescription, values: FormValues): FormErrors {
  const errors: Record<string, string> = {}
  for (const name of askedNames(form, values)) {
    const problem = checkField(form, name, values)
    if (problem) errors[name] = problem
  }
  return errors
}

/** What is sent: asked fields only, texts trimmed, numbers as numbers, empty optional fields left out. */
export function formPayload(form: FormDescription, values: FormValues): Record<string, string | number> {
  const payload: Record<string, string | number> = {}
  for (const name of askedNames(form, values)) {
    const field = form.fields[name]
    const value = values[name]
    if (field === undefined || value === null || value === undefined || value === '') continue
    if (field.fieldtype === 'Int' || field.fieldtype === 'Float') payload[name] = Number(value)
    else payload[name] = typeof value === 'string' ? value.trim() : value
  }
  return payload
}
