import type { JsonSchema } from './json-schema.ts'
import { jsonSchemaOf, type ResponseSchema } from './schema.ts'
import { scopesAllow, type TokenScope } from './rules/token-scopes.ts'

/*
 * Answers of methods and actions that say who people are. Their descriptions mark such texts (`x-person`); that is all
 * there is to declare: API tokens need this scope for every answer that holds one, and start-up refuses descriptions
 * whose names sound like people and are not marked.
 */

/** What API tokens need to learn of people. */
export const peopleScope: TokenScope = 'members:read'

/** Whether scopes let an API token learn of people. */
export const mayLearnOfPeople = (scopes: readonly string[]): boolean => scopesAllow(scopes, 'members', 'read')

const namesOfPeople =
  /^(?:users?|full_name|first_name|last_name|user_image|e?mails?|_?owner|org_owner|pending_email|invited_by|requested_by|cancelled_by|actor|on_behalf_of|person|people|members?|who|shared_with)$/

/** Parts a schema is made of, each with the name of the property it stands in. */
function partsOf(schema: JsonSchema, name: string): [string, JsonSchema][] {
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = schema
  return [
    ...Object.entries(properties),
    ...[items, ...anyOf, ...oneOf].flatMap((part): [string, JsonSchema][] => (part ? [[name, part]] : [])),
    ...(typeof additionalProperties === 'object' ? [[name, additionalProperties] satisfies [string, JsonSchema]] : []),
  ]
}

/** Whether a response says who other people are. */
export function returnsPeople(schema: ResponseSchema | undefined): boolean {
  return schema !== undefined && namesOthers(jsonSchemaOf(schema))
}

function namesOthers(schema: JsonSchema): boolean {
  return schema['x-person'] === 'other' || partsOf(schema, '').some(([, part]) => namesOthers(part))
}

/** Names of texts in a response that sound like people and do not say whom they are about. */
export function unmarkedPeople(schema: ResponseSchema | undefined): string[] {
  return schema === undefined ? [] : unmarkedIn(jsonSchemaOf(schema), '')
}

function unmarkedIn(schema: JsonSchema, name: string): string[] {
  if (schema['x-person'] !== undefined || schema.enum || schema.const !== undefined) return []
  const inner = partsOf(schema, name).flatMap(([of, part]) => unmarkedIn(part, of))
  const isText =
    [schema.type].flat().includes('string') || (schema.type === undefined && inner.length === 0 && isOpen(schema))
  return isText && namesOfPeople.test(name) ? [name] : inner
}

/** Whether a schema takes anything. */
const isOpen = ({ $ref, anyOf, oneOf }: JsonSchema) => !$ref && !anyOf && !oneOf
