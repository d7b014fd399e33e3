import { fieldLabel } from '#shared/doctype.ts'
import type { Field, FieldFormat } from '#shared/fields.ts'
import type { JsonSchema, JsonType } from '#shared/json-schema.ts'
import { bit, jsonSchemaOf, timestamp } from '#shared/schema.ts'
import { secretMask } from '#server/documents/documents.ts'

/** Reference to a named schema of the document. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** Schema name of a doctype: component names cannot contain spaces. */
export const schemaName = (doctype: string): string => doctype.replaceAll(/[^A-Za-z0-9._-]/g, '')

/** Input formats that clients may send; named because they are used everywhere. */
export const inputFormats: Readonly<Record<string, JsonSchema>> = {
  Flag: {
    description: 'Yes or no: true, false, 1 or 0, also as text. Empty counts as not given.',
    anyOf: [
      { type: 'boolean' },
      { type: 'integer', enum: [0, 1] },
      { type: 'string', enum: ['true', 'false', '1', '0', ''] },
      { type: 'null' },
    ],
  },
  WholeNumber: {
    description: 'A whole number, also as text. Empty counts as not given.',
    anyOf: [
      { type: 'integer' },
      { type: 'string', pattern: String.raw`^\s*(?:-?\d+(?:\.0+)?)?\s*$` },
      { type: 'null' },
    ],
  },
  Number: {
    description: 'A number, also as text. Empty counts as not given.',
    anyOf: [{ type: 'number' }, { type: 'string' }, { type: 'null' }],
  },
  DatetimeInput: {
    description:
      'A point in time in UTC: YYYY-MM-DD HH:MM:SS, with up to six digits of fraction; a T and a Z are fine.',
    anyOf: [
      {
        type: 'string',
        pattern: String.raw`^(?:\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?(?:Z|\+00:00)?)?$`,
      },
      { type: 'null' },
    ],
    examples: ['2026-01-31 14:05:00'],
  },
  Json: { description: 'Any JSON value, native or as JSON text.' },
}

/** Formats that validators know; the others are described in words. */
const formats: Partial<Record<FieldFormat, Pick<JsonSchema, 'format'>>> = {
  email: { format: 'email' },
  domain: { format: 'hostname' },
  hostname: { format: 'hostname' },
  url: { format: 'uri' },
}

const formatDescriptions: Record<FieldFormat, string> = {
  email: 'an email address',
  domain: 'a domain in ASCII form',
  visible: 'without characters that can’t be seen',
  slug: '3 to 32 lower-case letters, digits and hyphens',
  username: 'a user name: a lower-case letter, then up to 31 of a-z, 0-9, _ and -',
  hostname: 'a host name',
  ip: 'an IP address',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  url: 'an address beginning with https://',
  phone: 'a telephone number',
  timezone: 'a time zone of the IANA list',
  time: 'HH:MM',
}

/** One-line description of a field. */
export function fieldDescription(name: string, field: Field): string {
  const label = fieldLabel(name, field)
  const parts = [
    field.description === undefined ? label : `${label}: ${field.description}`,
    field.fieldtype === 'Link' ? `name of ${withArticle(field.options)}` : null,
    field.format === undefined ? null : formatDescriptions[field.format],
    field.max_bytes === undefined ? null : `at most ${field.max_bytes / 1024} KB as JSON`,
    field.secret === 'secret' ? `write-only: comes back as ${secretMask}, which changes nothing when it is sent` : null,
    field.secret === 'revealable' ? `comes back as ${secretMask}; an action of its own reveals it` : null,
    field.read_roles === undefined ? null : `read by ${field.read_roles.join(', ')} only`,
    field.write_roles === undefined ? null : describeWriters(field, field.write_roles),
    field.stored_in === undefined ? null : describeStoredIn(field.stored_in),
    field.personal === true ? 'each user has their own value, not visible to others' : null,
    isReadOnly(field) ? 'set by the server' : field.set_only_once ? 'can be set on creation only' : null,
  ]
  return `${parts.filter((one) => one !== null).join('; ')}.`.replace(/\.\.$/, '.')
}

const describeStoredIn = ({ doctype, where }: NonNullable<Field['stored_in']>): string =>
  `stored in the ${doctype} that has ${Object.entries(where)
    .map(([name, value]) => `${name} ${value}`)
    .join(' and ')}`

const withArticle = (noun: string): string => `${/^[AEIO]/.test(noun) ? 'an' : 'a'} ${noun}`

function describeWriters({ server_owned }: Field, roles: readonly string[]): string {
  return `written by ${roles.join(', ')} only${server_owned === true ? ', ignored from others' : ''}`
}

/**
 * Whether clients can never set a field: server-owned ones, unless some roles may write them or every user sets their own
 * value.
 */
export function isReadOnly(field: Field): boolean {
  if (field.personal === true) return false
  return field.read_only === true || (field.server_owned === true && field.write_roles === undefined)
}

/** A field's value in a response; null if unset. */
export function responseSchema(name: string, field: Field): JsonSchema {
  return {
    ...orNullUnlessCheck(field, valueSchema(field)),
    title: fieldLabel(name, field),
    description: fieldDescription(name, field),
    ...(isReadOnly(field) ? { readOnly: true } : {}),
  }
}

function orNullUnlessCheck(field: Field, schema: JsonSchema): JsonSchema {
  return field.fieldtype === 'Check' || field.fieldtype === 'JSON' || field.fieldtype === 'Table'
    ? schema
    : orNull(schema)
}

function valueSchema(field: Field): JsonSchema {
  switch (field.fieldtype) {
    case 'Check':
      return jsonSchemaOf(bit)
    case 'Int':
      return { type: 'integer', ...rangeOf(field) }
    case 'Float':
      return { type: 'number', ...rangeOf(field) }
    case 'Datetime':
      return jsonSchemaOf(timestamp)
    case 'Date':
      return { type: 'string', format: 'date' }
    case 'JSON':
      return sizeOf(field)
    case 'Table':
      return { type: 'array', items: ref(schemaName(field.options)) }
    case 'Select':
      return { type: 'string', enum: field.options }
    case 'Link':
      return { type: 'string', 'x-link': field.options }
    case 'Password':
      return { type: 'string', pattern: String.raw`^\**$` }
    default:
      return { type: 'string', maxLength: field.length ?? 140, ...formatOf(field) }
  }
}

function sizeOf({ max_bytes }: Field): Pick<JsonSchema, 'x-max-bytes'> {
  return max_bytes === undefined ? {} : { 'x-max-bytes': max_bytes }
}

function rangeOf(field: Field): Pick<JsonSchema, 'minimum' | 'maximum'> {
  return {
    ...(field.min === undefined ? {} : { minimum: field.min }),
    ...(field.max === undefined ? {} : { maximum: field.max }),
  }
}

function formatOf(field: Field): Pick<JsonSchema, 'format'> {
  return field.format === undefined ? {} : (formats[field.format] ?? {})
}

/** A field's or parameter's value as clients may send it; empty text and null unset it. */
export function inputSchema(name: string, field: Field): JsonSchema {
  return {
    ...inputValue(field),
    title: fieldLabel(name, field),
    description: fieldDescription(name, field),
    ...(field.default === undefined || field.default === null ? {} : { default: field.default }),
    ...(field.secret === undefined ? {} : { writeOnly: true }),
  }
}

/** Numbers and booleans become text; empty text and null are equivalent. */
const textTypes = ['string', 'number', 'boolean', 'null'] as const

function inputValue(field: Field): JsonSchema {
  switch (field.fieldtype) {
    case 'Check':
      return ref('Flag')
    case 'Int':
      return ref('WholeNumber')
    case 'Float':
      return ref('Number')
    case 'Datetime':
    case 'Date':
      return ref('DatetimeInput')
    case 'JSON':
      return { ...ref('Json'), ...sizeOf(field) }
    case 'Table':
      return { type: 'array', items: { type: 'object' } }
    case 'Select':
      return { enum: [...field.options, '', null] }
    case 'Link':
      return { type: textTypes, 'x-link': field.options }
    default:
      return { type: textTypes, maxLength: field.length ?? 140 }
  }
}

/** The schema, or null. */
function orNull(schema: JsonSchema): JsonSchema {
  if (schema.type === undefined || schema.const !== undefined) return { anyOf: [schema, { type: 'null' }] }
  const types: readonly JsonType[] = typeof schema.type === 'string' ? [schema.type] : schema.type
  return {
    ...schema,
    type: [...new Set<JsonType>([...types, 'null'])],
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }),
  }
}
