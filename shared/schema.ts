/**
 * Schemas of what methods and actions return. One schema gives the type (`z.infer`) and the JSON Schema that the wire
 * publishes; the wire tests hold every response against it. `zod/mini`, because doctypes travel to the browser.
 */
import * as z from 'zod/mini'
import type { JsonSchema } from './json-schema.ts'
import type { SentenceParts } from './sentence.ts'

/** A schema of a response. */
export type ResponseSchema<T = unknown> = z.ZodMiniType<T>

function noted<S extends z.ZodMiniType>(schema: S, notes: Partial<JsonSchema>): S {
  const copy = schema.clone()
  z.globalRegistry.add(copy, { ...z.globalRegistry.get(schema), ...notes })
  return copy
}

/** The same, with a sentence about it. */
export function described<S extends z.ZodMiniType>(schema: S, description: string): S {
  return noted(schema, { description })
}

/** Address, name or picture of somebody else. API tokens need `members:read` for a response that holds one. */
export const person = noted(z.string(), { 'x-person': 'other' })
/** The same of who calls. */
export const caller = noted(z.string(), { 'x-person': 'caller' })
/** The same of somebody else; null for API tokens without `members:read`. */
export const personOrLeftOut = noted(z.nullable(z.string()), { 'x-person': 'left out' })
/** 0 or 1. */
export const bit = z.literal([0, 1])
/** Nothing: `message` is absent. */
export const nothing = z.null()
/** Not JSON: the bytes of a file. */
export const binary = noted(z.string(), { format: 'binary' })
/** A point in time, UTC. */
export const timestamp = described(
  z.string().check(z.regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{6}$/)),
  'Point in time in UTC, YYYY-MM-DD HH:MM:SS.ffffff',
)
/** The parts of a sentence (`shared/sentence.ts`), beside its English. */
export const sentenceParts: ResponseSchema<SentenceParts> = described(
  z.object({
    template: z.union([z.string(), z.object({ one: z.string(), other: z.string() })]),
    values: z.optional(z.array(z.unknown())),
    count: z.optional(z.number()),
  }),
  'A sentence for translation: its English `template` with the places `{0}`, `{1}` … (in two forms by `count`), and what stands in them: texts, numbers, sentences, or lists of these.',
)

/** The name of a document of a doctype. */
export function linkTo(doctype: string, description: string): ResponseSchema<string> {
  return noted(z.string(), { description, 'x-link': doctype })
}

/** A schema that the published document names once. `name` is its name there. */
export function component(name: string): ResponseSchema {
  return noted(z.unknown(), { $ref: `#/components/schemas/${name}` })
}

const converted = new WeakMap<z.ZodMiniType, JsonSchema>()

/** The JSON Schema (2020-12) of a response; undefined for none. */
export function jsonSchemaOf(schema: ResponseSchema): JsonSchema
export function jsonSchemaOf(schema: ResponseSchema | undefined): JsonSchema | undefined
export function jsonSchemaOf(schema: ResponseSchema | undefined): JsonSchema | undefined {
  if (!schema) return undefined
  const known = converted.get(schema)
  if (known) return known
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => withoutSafeBounds(jsonSchema),
  })
  converted.set(schema, made as JsonSchema)
  return made as JsonSchema
}

/** Zod names the bounds of JavaScript's whole numbers, which say nothing of ours. */
function withoutSafeBounds(schema: { type?: unknown; minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}
