import { isObject } from '#shared/parse-json.ts'
import { standardFields, type Doctype } from '#shared/doctype.ts'
import type { Field } from '#shared/fields.ts'
import { omittedOf, type OmittedValue } from '#shared/omitted-value.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { formatAbsolute, formatBytes } from '#web/lib/i18n/format.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { t } from './messages.ts'
import { t as valueText } from '../messages.ts'
import { fieldTitle, valueLabel } from '../query/list-query.ts'
import { findDoctype } from '../query/list-request.ts'

/** A field changed by a log entry. Null means it was unset. */
export interface Change {
  readonly field: string
  readonly label: string
  readonly before: ChangeValue
  readonly after: ChangeValue
}

/** A formatted value, or the document it refers to. */
export type ChangeValue = string | { readonly doctype: string; readonly name: string } | null

/** Shown instead of a secret. */
const mask = '••••••••'

const omittedFields = new Set<string>([...standardFields, 'doctype', 'organization'])

/** One stored side of the change: an object, or its JSON text. */
function sideOf(stored: unknown): Record<string, unknown> {
  let value = stored
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value)
    } catch {
      // Not JSON: no fields to compare.
      return {}
    }
  }
  return isObject(value) ? value : {}
}

function isUnset(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

/** Text for a value that was too large for the log. */
function omittedText({ bytes, sha256 }: OmittedValue['omitted']): string {
  const size = formatBytes(bytes)
  return sha256 === undefined ? t('entry.not_kept', { size }) : t('entry.hash_kept', { size, sha256 })
}

function displayValue(type: Doctype | null, name: string, field: Field | undefined, value: unknown): ChangeValue {
  if (isUnset(value)) return null
  if (field?.secret) return mask
  const omitted = omittedOf(value)
  if (omitted) return omittedText(omitted)
  if (typeof value === 'object') return JSON.stringify(value)
  if (!type || !field) return String(value)
  if (field.fieldtype === 'Check') return value === 1 || value === true ? valueText('value.yes') : valueText('value.no')
  if (field.fieldtype === 'Datetime') return formatAbsolute(String(value))
  if (field.fieldtype === 'Link' && typeof field.options === 'string' && field.options !== 'User')
    return { doctype: field.options, name: String(value) }
  return valueLabel(type, name, String(value))
}

/**
 * Changed fields of an entry, in the description's order. `before` and `after` are the stored sides; without `before` (a new
 * document, an action's details), all set fields are listed.
 */
export function changesOf(doctype: string | null | undefined, before: unknown, after: unknown): Change[] {
  const type = doctype ? findDoctype(doctype) : null
  const [old, now] = [sideOf(before), sideOf(after)]
  const known = type ? Object.keys(type.fields) : []
  const position = (name: string) => (known.includes(name) ? known.indexOf(name) : known.length)
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].toSorted((a, b) => position(a) - position(b))
  return names.flatMap((name): Change[] => {
    const field = type?.fields[name]
    if (omittedFields.has(name) || field?.hidden || isDescriptor(name, old, now)) return []
    if (isUnset(old[name]) && isUnset(now[name])) return []
    // Masked secrets look the same on both sides; they are only logged if they changed.
    if (!field?.secret && JSON.stringify(old[name]) === JSON.stringify(now[name])) return []
    // Localized messages are stored with their descriptors.
    const descriptor = (side: Record<string, unknown>) => {
      const found = side[name + suffix]
      return omittedOf(found) === null && omittedOf(side[name]) === null ? found : undefined
    }
    const value = (side: Record<string, unknown>) =>
      descriptor(side)
        ? localizedText(String(side[name]), descriptor(side)).text
        : displayValue(type, name, field, side[name])
    return [{ field: name, label: labelOf(type, name), before: value(old), after: value(now) }]
  })
}

/** Suffix of the fields with descriptors. */
const suffix = '_i18n'

function isDescriptor(name: string, ...sides: readonly Record<string, unknown>[]): boolean {
  return name.endsWith(suffix) && sides.some((side) => name.slice(0, -suffix.length) in side)
}

function labelOf(type: Doctype | null, name: string): string {
  if (type && name in type.fields) return fieldTitle(type, name)
  const label = name.replaceAll('_', ' ')
  return translateText(label.charAt(0).toUpperCase() + label.slice(1))
}
