import type { Field } from '#shared/fields.ts'
import type { JsonSchema, ParameterNote } from '#shared/json-schema.ts'
import { inputSchema } from './fields.ts'

type Requirement = Readonly<Record<string, readonly string[]>>

/** An OpenAPI operation. */
export interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  security: readonly Requirement[]
  parameters?: readonly object[]
  requestBody?: object
  responses: Readonly<Record<string, object>>
  'x-access'?: string
  'x-token-scope'?: string | null
}

const jsonText: JsonSchema = {
  type: 'string',
  contentMediaType: 'application/json',
  description: 'The same as JSON text.',
}

/** Documents a parameter that is declared as a field. */
export function describeParameter(name: string, field: Field): ParameterNote {
  const { description = '', ...schema } = inputSchema(name, field)
  return {
    description,
    schema,
    ...(field.reqd && field.default === undefined ? { reqd: true } : {}),
    ...(field.fieldtype === 'JSON' || field.fieldtype === 'Table' ? { structured: true } : {}),
  }
}

/** Documents declared parameters. */
export function notesOf(fields: Readonly<Record<string, Field>>): Record<string, ParameterNote> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, describeParameter(name, field)]))
}

/** Query parameters; structured ones are JSON text. */
export function queryParameters(notes: Readonly<Record<string, ParameterNote>>): object[] {
  return Object.entries(notes).map(([name, { description, schema, reqd, structured }]) => ({
    name,
    in: 'query',
    description,
    ...(reqd ? { required: true } : {}),
    ...(structured ? { content: { 'application/json': { schema } } } : { schema }),
  }))
}

/** Body parameters: as JSON with native values, or as a form. Unknown ones are ignored. */
export function bodyOf(notes: Readonly<Record<string, ParameterNote>>): object {
  const required = Object.keys(notes).filter((name) => notes[name]?.reqd)
  const schemaIn = (form: boolean, files = false): JsonSchema => ({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(notes)
        .filter(([, { schema }]) => files || schema.format !== 'binary')
        .map(([name, { description, schema, structured }]) => [
          name,
          structured
            ? { description, ...(form ? jsonText : { anyOf: [schema, jsonText] }) }
            : schema.$ref === undefined
              ? { ...schema, description }
              : { anyOf: [schema], description },
        ]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: true,
  })
  return {
    required: required.length > 0,
    content: {
      'application/json': { schema: schemaIn(false) },
      'application/x-www-form-urlencoded': { schema: schemaIn(true) },
      'multipart/form-data': { schema: schemaIn(true, true) },
    },
  }
}

/** A successful response. Any of them may contain notices, and the flag that the cookie's session has expired. */
export function responseOf(
  description: string,
  properties: Record<string, JsonSchema>,
  required: readonly string[],
): object {
  return {
    description,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            ...properties,
            _server_messages: { $ref: '#/components/schemas/ServerMessages' },
            session_expired: { const: 1, description: 'The cookie named a session that has ended.' },
          },
          ...(required.length === 0 ? {} : { required }),
        } satisfies JsonSchema,
      },
    },
  }
}

/**
 * Authentication methods of an operation. Cookie sessions need their CSRF token for unsafe verbs; `tokens` says whether API
 * tokens are accepted.
 */
export function securityOf(verb: string, rights: { guest: boolean; tokens: boolean }): Operation['security'] {
  const cookie: Requirement = verb === 'get' ? { session: [] } : { session: [], csrf: [] }
  const byToken: Requirement[] = rights.tokens ? [{ token: [] }, { basic: [] }, { bearer: [] }] : []
  return [...(rights.guest ? [{}] : []), cookie, ...byToken]
}
