/**
 * Response schemas of methods and actions. One schema provides the type (`z.infer`) and the JSON Schema that the API
 * publishes; the wire tests validate every response against it. Uses `zod/mini` because doctypes are bundled into the web
 * app.
 */
import * as z from 'zod/mini'
import type { JsonSchema } from './json-schema.ts'
import type { MessageDescriptor } from './localized-message.ts'

/** A schema of a response. */
export type ResponseSchema<T = unknown> = z.ZodMiniType<T>

function withNotes<S extends z.ZodMiniType>(schema: S, notes: Partial<JsonSchema>): S {
  const copy = schema.clone()
  z.globalRegistry.add(copy, { ...z.globalRegistry.get(schema), ...notes })
  return copy
}

/** Adds a description to a schema. */
export function described<S extends z.ZodMiniType>(schema: S, description: string): S {
  return withNotes(schema, { description })
}

/** Address, name or picture of another person. API tokens need `members:read` for a response that contains one. */
export const person = withNotes(z.string(), { 'x-person': 'other' })
/** Address, name or picture of the caller. */
export const caller = withNotes(z.string(), { 'x-person': 'caller' })
/** Address, name or picture of another person; null for API tokens without `members:read`. */
export const personOrOmitted = withNotes(z.nullable(z.string()), { 'x-person': 'left out' })
/** 0 or 1. */
export const bit = z.literal([0, 1])
/** No value: `message` is absent. */
export const nothing = z.null()
/** The bytes of a file, not JSON. */
export const binary = withNotes(z.string(), { format: 'binary' })
/** A point in time, UTC. */
export const timestamp = described(
  z.string().check(z.regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{6}$/)),
  'Point in time in UTC, YYYY-MM-DD HH:MM:SS.ffffff',
)
/** Id and values of a sentence (`shared/localized-message.ts`), sent alongside its English text. */
export const messageDescriptor: ResponseSchema<MessageDescriptor> = described(
  z.object({
    id: z.string(),
    values: z.optional(z.array(z.unknown())),
    count: z.optional(z.number()),
  }),
  'A sentence for translation: its `id`, which is an English ICU message with the places `{0}`, `{1}` … (and forms by `count`), and the values for them: texts, numbers, sentences, or lists of these.',
)

/** The name of a document of a doctype. */
export function linkTo(doctype: string, description: string): ResponseSchema<string> {
  return withNotes(z.string(), { description, 'x-link': doctype })
}

/** Reference to a named schema of the published document (`#/components/schemas/NAME`). */
export function component(name: string): ResponseSchema {
  return withNotes(z.unknown(), { $ref: `#/components/schemas/${name}` })
}

const converted = new WeakMap<z.ZodMiniType, JsonSchema>()

/** Converts a response schema to JSON Schema (2020-12); undefined if there is none. */
export function jsonSchemaOf(schema: ResponseSchema): JsonSchema
export function jsonSchemaOf(schema: ResponseSchema | undefined): JsonSchema | undefined
export function jsonSchemaOf(schema: ResponseSchema | undefined): JsonSchema | undefined {
  if (!schema) return undefined
  const known = converted.get(schema)
  if (known) return known
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => withoutSafeBounds(jsonSchema),
  })
  const jsonSchema = made as JsonSchema
  converted.set(schema, jsonSchema)
  return jsonSchema
}

/** Removes the safe-integer bounds that Zod adds; they aren't bounds of our API. */
function withoutSafeBounds(schema: { type?: unknown; minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}
