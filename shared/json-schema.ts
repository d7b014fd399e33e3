/**
 * The words in which methods and actions say what they answer: JSON Schema 2020-12, as far as it is used. The wire
 * publishes it as reference documentation and its tests hold every answer against it.
 */

/** Names of JSON's types. */
export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null'

/** A schema. An object with `properties` and without `additionalProperties` has no others (the tests see to it). */
export interface JsonSchema {
  readonly type?: JsonType | readonly JsonType[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
  readonly contains?: JsonSchema
  readonly oneOf?: readonly JsonSchema[]
  readonly discriminator?: { readonly propertyName: string; readonly mapping?: Readonly<Record<string, string>> }
  readonly $ref?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly contentMediaType?: string
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  /** Most bytes of the value as JSON without spaces, in UTF-8. */
  readonly 'x-max-bytes'?: number
  /** Doctype whose document the text names. */
  readonly 'x-link'?: string
  /**
   * Whom a text is about: somebody else (API tokens need `members:read` for the whole answer), the caller, or somebody
   * else who is left out for API tokens without that scope.
   */
  readonly 'x-person'?: 'other' | 'caller' | 'left out'
}

/** A parameter of a method that reads its parameters in their raw forms. */
export interface ParameterNote {
  readonly description: string
  readonly schema: JsonSchema
  readonly reqd?: true
  /** A list or an object: in a query, a form, and where one likes in JSON, it is JSON text. */
  readonly structured?: true
}

/** Any text. */
export const textShape: JsonSchema = { type: 'string' }
/** Address, name or picture of somebody else. */
export const personShape: JsonSchema = { type: 'string', 'x-person': 'other' }
/** The same of who calls. */
export const callerShape: JsonSchema = { type: 'string', 'x-person': 'caller' }
/** The same of somebody else, null for API tokens that may not learn of people. */
export const personOrLeftOutShape: JsonSchema = { type: ['string', 'null'], 'x-person': 'left out' }
/** Any number. */
export const numberShape: JsonSchema = { type: 'number' }
/** A whole number. */
export const wholeShape: JsonSchema = { type: 'integer' }
/** True or false. */
export const booleanShape: JsonSchema = { type: 'boolean' }
/** 0 or 1. */
export const bitShape: JsonSchema = { type: 'integer', enum: [0, 1] }
/** Anything JSON can hold. */
export const anyShape: JsonSchema = {}
/** The answer of a method that says nothing: `message` is absent. */
export const nothingShape: JsonSchema = { type: 'null' }
/** Not JSON: the bytes of a file. */
export const binaryShape: JsonSchema = { type: 'string', format: 'binary' }
/** A point in time, UTC. */
export const datetimeShape: JsonSchema = {
  type: 'string',
  description: 'Point in time in UTC, YYYY-MM-DD HH:MM:SS.ffffff',
  pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{6}$`,
}

/** An object with exactly these keys; the ones named in `optional` may be absent. */
export function objectShape(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  }
}

/** The parts of a sentence (`shared/sentence.ts`), beside its English. */
export const sentenceShape: JsonSchema = {
  ...objectShape(
    {
      template: { anyOf: [textShape, objectShape({ one: textShape, other: textShape })] },
      values: { type: 'array' },
      count: numberShape,
    },
    ['values', 'count'],
  ),
  description:
    'A sentence for translation: its English `template` with the places `{0}`, `{1}` … (in two forms by `count`), and what stands in them: texts, numbers, sentences, or lists of these.',
}

/** A list. */
export function listShape(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/** One of a few values. */
export function oneOfShape(values: readonly string[]): JsonSchema {
  return { type: 'string', enum: values }
}

/** The same, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (schema.type === undefined || schema.const !== undefined) return { anyOf: [schema, { type: 'null' }] }
  const types = Array.isArray(schema.type) ? (schema.type as readonly JsonType[]) : [schema.type as JsonType]
  return {
    ...schema,
    type: [...new Set<JsonType>([...types, 'null'])],
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }),
  }
}

/** The same, with a sentence about it. */
export function described(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description }
}
