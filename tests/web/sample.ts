/** Values of responses, made from their schemas. */
import { isObject } from '#shared/parse-json.ts'
import { jsonSchemaOf, type ResponseSchema } from '#shared/schema.ts'

/** The time of every sample. */
export const sampleTime = '2026-11-21 14:00:00.000000'

/** A response as its schema describes it, with every field, one entry in each list, and the first of several choices. */
export function sampleOf(schema: ResponseSchema): unknown {
  const value = valueOf(jsonSchemaOf(schema))
  const { error } = schema.safeParse(value)
  if (error) throw error
  return value
}

function valueOf(schema: unknown): unknown {
  if (!isObject(schema)) return null
  const { properties, anyOf, propertyNames } = schema
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  if (Array.isArray(anyOf)) return valueOf(anyOf[0])
  if (schema['const'] !== undefined) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (isObject(properties))
    return Object.fromEntries(
      // The browser refuses other texts.
      Object.entries(properties).map(([name, inner]) => [name, name === 'currency' ? 'EUR' : valueOf(inner)]),
    )
  if (type === 'object') {
    const names: readonly unknown[] =
      isObject(propertyNames) && Array.isArray(propertyNames['enum']) ? propertyNames['enum'] : []
    return Object.fromEntries(names.map((name) => [name, valueOf(schema['additionalProperties'])]))
  }
  if (type === 'array') return [valueOf(schema['items'])]
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  if (type === 'null') return null
  return typeof schema['pattern'] === 'string' ? sampleTime : 'text'
}
