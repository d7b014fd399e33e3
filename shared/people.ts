import type { JsonSchema } from './json-schema.ts'
import { jsonSchemaOf, type ResponseSchema } from './schema.ts'
import { scopesAllow, type TokenScope } from './rules/token-scopes.ts'

/*
 * Responses of methods and actions that identify people. Their schemas mark such texts with `x-person`, and nothing else has
 * to be declared: API tokens need this scope for every response that contains one, and startup fails if a property is named
 * like a person but isn't marked.
 */

/** Scope API tokens need to read personal data. */
export const peopleScope: TokenScope = 'members:read'

/** Whether these scopes let an API token read personal data. */
export const canSeePeople = (scopes: readonly string[]): boolean => scopesAllow(scopes, 'members', 'read')

const namesOfPeople =
  /^(?:users?|full_name|first_name|last_name|user_image|e?mails?|_?owner|org_owner|pending_email|invited_by|requested_by|cancelled_by|actor|on_behalf_of|person|people|members?|who|shared_with)$/

/** Subschemas of a schema, each with the name of its property. */
function toDescriptor(schema: JsonSchema, name: string): [string, JsonSchema][] {
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = schema
  return [
    ...Object.entries(properties),
    ...[items, ...anyOf, ...oneOf].flatMap((part): [string, JsonSchema][] => (part ? [[name, part]] : [])),
    ...(typeof additionalProperties === 'object' ? [[name, additionalProperties] satisfies [string, JsonSchema]] : []),
  ]
}

/** Whether a response identifies other people. */
export function returnsPeople(schema: ResponseSchema | undefined): boolean {
  return schema !== undefined && containsOtherPeople(jsonSchemaOf(schema))
}

function containsOtherPeople(schema: JsonSchema): boolean {
  return schema['x-person'] === 'other' || toDescriptor(schema, '').some(([, part]) => containsOtherPeople(part))
}

/** Names of text properties in a response that sound like people but have no `x-person` mark. */
export function unmarkedPeople(schema: ResponseSchema | undefined): string[] {
  return schema === undefined ? [] : unmarkedIn(jsonSchemaOf(schema), '')
}

function unmarkedIn(schema: JsonSchema, name: string): string[] {
  if (schema['x-person'] !== undefined || schema.enum || schema.const !== undefined) return []
  const inner = toDescriptor(schema, name).flatMap(([of, part]) => unmarkedIn(part, of))
  const isText =
    [schema.type].flat().includes('string') || (schema.type === undefined && inner.length === 0 && isOpen(schema))
  return isText && namesOfPeople.test(name) ? [name] : inner
}

/** Whether a schema accepts any value. */
const isOpen = ({ $ref, anyOf, oneOf }: JsonSchema) => !$ref && !anyOf && !oneOf
