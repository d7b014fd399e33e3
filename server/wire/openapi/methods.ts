import type { JsonSchema, ParameterNote } from '#shared/json-schema.ts'
import { jsonSchemaOf } from '#shared/schema.ts'
import type { Method, MethodAccess } from '#server/contracts/method.ts'
import { acceptedVerbs, type Registry, type WireMethod } from '../methods/method-registry.ts'
import { errorRefs } from './errors.ts'
import { responseOf, bodyOf, notesOf, queryParameters, securityOf, type Operation } from './operations.ts'

/** Description of each access rule. */
export const accessDescriptions: Readonly<Record<MethodAccess, string>> = {
  guest: 'Anybody, logged in or not; the number of calls is limited.',
  self: 'All logged-in users; returns only data about the caller and what the caller can see.',
  verified: 'Everybody who is logged in and has verified the email address.',
  member: 'Members of the chosen organization.',
  platform: 'Platform admins only; for everybody else the method does not exist.',
}

const groups: readonly (readonly [prefix: string, group: string])[] = [
  ['frappe.client.', 'Documents by method'],
  ['run_doc_method', 'Documents by method'],
  ['frappe.desk.', 'Reports and search'],
  ['easydash.api.account.', 'Account and session'],
  ['easydash.api.session', 'Account and session'],
  ['easydash.api.two_factor.', 'Account and session'],
  ['easydash.api.tokens.', 'Account and session'],
  ['easydash.api.user.', 'Account and session'],
  ['frappe.auth.', 'Account and session'],
  ['frappe.core.doctype.user.', 'Account and session'],
  ['login', 'Account and session'],
  ['logout', 'Account and session'],
  ['frappe.handler.', 'Files'],
  ['upload_file', 'Files'],
  ['easydash.api.platform.', 'Platform'],
]

/** Sections of the reference, in order. */
export const methodGroups: readonly string[] = [
  'Account and session',
  'Documents by method',
  'Reports and search',
  'Files',
  'Product',
  'Platform',
]

/** The section of a method. */
export function groupOf(name: string): string {
  return groups.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'Product'
}

/** The parameters of a method, raw or declared. */
export function parametersOf(method: Method | WireMethod): Readonly<Record<string, ParameterNote>> {
  return 'rawParams' in method ? (method.documented ?? {}) : notesOf(method.params ?? {})
}

/** The short name of a method, or null. */
export function shortNameOf(method: Method, registry: Registry): string | null {
  const short = method.name.slice(method.name.lastIndexOf('.') + 1)
  return short !== method.name && registry.find(short) === method ? short : null
}

/** Path of a method. */
export const methodPath = (name: string): string => `/api/method/${name}`

/** `paths` of all methods. */
export function methodPaths(registry: Registry): Record<string, Record<string, Operation>> {
  return Object.fromEntries(
    registry.all.map((method) => [
      methodPath(method.name),
      Object.fromEntries(
        acceptedVerbs(method).map((verb) => [verb.toLowerCase(), operationOf(method, verb.toLowerCase(), registry)]),
      ),
    ]),
  )
}

/** The scope API tokens need for a method; `any` if none, null if tokens cannot call it. */
export function tokenScopeOf(method: Method): string | null {
  return method.tokens ?? null
}

function operationOf(method: Method | WireMethod, verb: string, registry: Registry): Operation {
  const notes = parametersOf(method)
  const short = shortNameOf(method, registry)
  const inAddress = verb === 'get' || verb === 'delete'
  return {
    operationId: `${verb}_${method.name.replaceAll('.', '_')}`,
    tags: [groupOf(method.name)],
    summary: method.name,
    description: [
      method.description,
      accessDescriptions[method.access],
      short === null ? null : `Also /api/method/${short}.`,
    ]
      .filter((one) => one !== null)
      .join('\n\n'),
    security: securityOf(verb, { guest: method.access === 'guest', tokens: tokenScopeOf(method) !== null }),
    ...(inAddress ? { parameters: queryParameters(notes) } : { requestBody: bodyOf(notes) }),
    responses: { '200': methodResponse(method), ...unchanged(method, verb), ...errorRefs() },
    'x-access': method.access,
    'x-token-scope': tokenScopeOf(method),
  }
}

/** Files with an ETag can return 304. */
function unchanged({ returns }: Method, verb: string): object {
  if (jsonSchemaOf(returns)?.format !== 'binary' || verb !== 'get') return {}
  return { '304': { description: 'Not changed since the ETag that was sent, where the file has one.' } }
}

function methodResponse(method: Method): object {
  const returns = jsonSchemaOf(method.returns)
  const extras = Object.fromEntries(
    Object.entries(method.extras ?? {}).map(([name, schema]) => [name, jsonSchemaOf(schema)]),
  )
  if (returns?.format === 'binary') return { description: 'The file.', content: { '*/*': { schema: returns } } }
  if (returns?.type === 'null') return responseOf('Done.', { ...extras }, [])
  const message: JsonSchema = returns ?? { description: 'Whatever the method returns.' }
  return responseOf(
    returns?.description ?? 'The result.',
    { message, ...extras },
    mayBeAbsent(returns) ? [] : ['message'],
  )
}

/** A null result omits the key. */
function mayBeAbsent(returns: JsonSchema | undefined): boolean {
  if (returns === undefined) return true
  if (Array.isArray(returns.type)) return returns.type.includes('null')
  return returns.anyOf?.some((one) => one.type === 'null') ?? (returns.type === undefined && returns.$ref === undefined)
}
