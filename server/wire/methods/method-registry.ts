import { AppError } from '#shared/errors.ts'
import type { ParameterNote } from '#shared/json-schema.ts'
import { canSeePeople, peopleScope, returnsPeople, unmarkedPeople } from '#shared/people.ts'
import { isTokenScope } from '#shared/rules/token-scopes.ts'
import { coerce, validationError } from '#server/documents/documents.ts'
import type { Upload } from '#server/contracts/files.ts'
import type { Method, MethodAccess, MethodContext } from '#server/contracts/method.ts'
import {
  isMachine,
  requireScope,
  requireVerified,
  secondFactorNeeded,
  type Session,
} from '#server/contracts/session.ts'
import { checkJson } from '#server/platform/json-values.ts'
import { msg } from '#shared/localized-message.ts'
import type { Params } from '../request/parameters.ts'

/** Additional context for the wire layer's own methods. */
export interface WireContext extends MethodContext {
  /** CSRF token of the cookie session, or null. */
  readonly csrfToken: string | null
  /** The file uploaded with the request. */
  readonly upload: Upload | null
}

/** A method of the wire layer: it receives the raw parameters. */
export interface WireMethod extends Method {
  readonly rawParams: true
  /** Its parameters, for the API reference. */
  readonly documented?: Readonly<Record<string, ParameterNote>>
  /** It operates on a document: permission errors have their own shape then. */
  readonly aboutDocument?: true
  run(params: Record<string, unknown>, context: WireContext): Promise<unknown>
}

/** All callable methods. */
export interface Registry {
  /** Finds a method by its full dotted name, or by its last segment if that is unique; else null. */
  find(name: string): Method | WireMethod | null
  /** All methods in order of declaration. */
  readonly all: readonly (Method | WireMethod)[]
}

const accessRules: ReadonlySet<string> = new Set<MethodAccess>(['guest', 'self', 'verified', 'member', 'platform'])
const verbs: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE'])
const namePattern = /^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*$/

/**
 * Collects the methods. Throws if one has no access rule, no valid verb, an invalid name, or a duplicate name: the program
 * must not start then.
 */
export function createRegistry(methods: readonly Method[]): Registry {
  const byName = new Map<string, Method>()
  const shortNames = new Map<string, Method | null>()
  for (const method of methods) {
    if (!namePattern.test(method.name)) throw new Error(`The method name "${method.name}" is not valid.`)
    if (byName.has(method.name)) throw new Error(`The method ${method.name} is declared twice.`)
    if (!accessRules.has(method.access)) throw new Error(`The method ${method.name} has no access rule.`)
    if (method.verbs.length === 0 || method.verbs.some((verb) => !verbs.has(verb))) {
      throw new Error(`The method ${method.name} has no valid verbs.`)
    }
    if (method.tokens !== undefined && method.tokens !== 'any' && !isTokenScope(method.tokens)) {
      throw new Error(`The method ${method.name} names an unknown scope.`)
    }
    const [unmarked] = unmarkedPeople(method.returns)
    if (unmarked !== undefined)
      throw new Error(`The method ${method.name} returns ${unmarked} without saying whether it identifies a user.`)
    byName.set(method.name, method)
    const short = method.name.slice(method.name.lastIndexOf('.') + 1)
    shortNames.set(short, shortNames.has(short) ? null : method)
  }
  return { find: (name) => byName.get(name) ?? shortNames.get(name) ?? null, all: [...byName.values()] }
}

/** Verbs a method accepts: read methods accept all of Frappe's verbs, write methods only their own. */
export function acceptedVerbs({ verbs: own }: Method): readonly string[] {
  return own.includes('GET') ? [...verbs] : own
}

/** Throws 403 unless the session satisfies the method's access rule. */
export function checkAccess(method: Method, session: Session): void {
  checkScope(method, session)
  if (isMachine(session)) {
    if (!method.machines?.some((kind) => kind === session.kind)) throw notAvailable(method.name)
    return
  }
  if (method.access === 'guest') return
  if (session.kind === 'guest') throw notAvailable(method.name)
  if (method.access === 'self') return
  if (method.access === 'platform') {
    if (!session.platformAdmin) throw notAvailable(method.name)
    return
  }
  requireVerified(session)
  if (method.access === 'member' && session.organization === null) {
    throw new AppError('forbidden', msg`You are not a member of an organization yet.`)
  }
  if (method.access === 'member' && session.needsSecondFactor) throw secondFactorNeeded()
}

/**
 * API tokens may only call methods that are open to all tokens or require a scope they have, even if guests may call more.
 */
function checkScope({ name, tokens, returns }: Method, session: Session): void {
  if (session.kind !== 'token') return
  const scopes = session.token?.scopes ?? []
  if (tokens === undefined) throw new AppError('forbidden', msg`The method ${name} cannot be called with an API token.`)
  if (tokens !== 'any') requireScope(session, tokens)
  if (returnsPeople(returns) && !canSeePeople(scopes))
    throw new AppError('forbidden', msg`The API token lacks the scope ${peopleScope}.`)
}

/** The error for methods that do not exist and for methods the caller may not know about. */
export function notAvailable(name: string): AppError {
  return new AppError('forbidden', msg`The method ${name.slice(0, 140)} does not exist or is not available to you.`)
}

/** The declared parameters in their own types, without unknown and empty ones. Throws 417 for a missing or invalid one. */
export function readParams(method: Method, params: Params): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(method.params ?? {})) {
    const given = params[name]
    const value = given === undefined || given === null ? null : coerced(method, name, given)
    if (value !== null) {
      if (field.fieldtype === 'JSON') checkJson(value)
      const problem = validationError(name, field, value)
      if (problem) throw new AppError('invalid', problem.message, { field: name, excType: problem.excType })
      values[name] = value
    } else if (field.default !== undefined) values[name] = field.default
    else if (field.reqd) throw new AppError('invalid', msg`The parameter ${name} is missing.`, { field: name })
  }
  return values
}

function coerced(method: Method, name: string, value: unknown): unknown {
  const field = method.params?.[name]
  if (field === undefined) return null
  try {
    return coerce(name, field, value)
  } catch (error) {
    // A wrong parameter type has its own exception class in the API.
    if (error instanceof AppError && error.excType === 'DataError') {
      throw new AppError('invalid', error.localized, { field: name, excType: 'FrappeTypeError', cause: error })
    }
    throw error
  }
}
