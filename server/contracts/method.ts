import type { Fields } from '#shared/doctype.ts'
import type { Field } from '#shared/fields.ts'
import type { TokenScope } from '#shared/rules/token-scopes.ts'
import type { ResponseSchema } from '#shared/schema.ts'
import type { Documents } from './documents.ts'
import type { Download } from './files.ts'
import type { MachineKind, Session } from './session.ts'

/** Access rule of a method. Startup fails if a method has none. */
export type MethodAccess =
  /** Anyone, rate limited. */
  | 'guest'
  /** Any signed-in user, verified or not: only their own rows. */
  | 'self'
  /** Signed in and verified. */
  | 'verified'
  /** Verified member of the current organization. */
  | 'member'
  /** Platform admin. */
  | 'platform'

/** A callable method of `/api/method`. */
export interface Method {
  /** Full dotted name. The last segment alone also works if it is unique. */
  readonly name: string
  readonly access: MethodAccess
  /** Methods that write are POST only. */
  readonly verbs: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[]
  /**
   * API tokens that can call it: those with the scope, or any valid one (`any`: either everything it does is checked by the
   * gate, or it returns nothing but the caller's identity). Default: none.
   */
  readonly tokens?: TokenScope | 'any'
  /** Machines that can call it, whatever its access rule says; it checks `session.machine` itself. Default: none. */
  readonly machines?: readonly MachineKind[]
  /** Throws if the caller may not call it, before the parameters are read. What it does checks rights by itself. */
  admit?(context: MethodContext): Promise<void>
  /** Described like fields. Types are checked (417 FrappeTypeError); unknown parameters are ignored. */
  readonly params?: Record<string, Field>
  /** One sentence for the API reference. */
  readonly description: string
  /** Schema of `message` for the API reference; the wire tests validate responses against it. */
  readonly returns?: ResponseSchema
  /** Further top-level keys of the response (see `extra`). */
  readonly extras?: Readonly<Record<string, ResponseSchema>>
  run(params: Record<string, unknown>, context: MethodContext): Promise<unknown>
}

/** Passed to a method when it runs. */
export interface MethodContext {
  readonly session: Session
  readonly documents: Documents
  readonly ip: string
  readonly userAgent: string
  /** Value of the device cookie (see `rememberDevice`); null if there is none. */
  readonly device: string | null
  /** The header `Token`, which EasyEngine sends; null without it. */
  readonly machineToken: string | null
  /**
   * Starts a session for the user and sets the cookies (always a new sid). `provenWith`: version of the password that was
   * checked; throws `unauthorized` if the password has changed since. `providerLink`: link to the login provider that vouched
   * for the user instead; the device is not remembered, because nobody proved to know the password or to own the mailbox.
   */
  signIn(user: string, proof?: { provenWith?: string; providerLink?: string }): Promise<void>
  /**
   * Marks the caller's device as known to an account they signed in to (`signIn` does this too) or whose mailbox they proved
   * to own. Known devices aren't throttled by failed sign-ins from elsewhere.
   */
  rememberDevice(user: string): Promise<void>
  /** Ends the caller's session and expires the cookies. */
  signOut(): Promise<void>
  /** Adds a `_server_messages` notice to the response. */
  notice(message: string, title?: string, indicator?: 'green' | 'blue'): void
  /** Adds a top-level key to the response (`home_page`, `docs` …). */
  extra(key: string, value: unknown): void
}

/** Parameters of a method: validated and typed. Absent or empty ones without a default are omitted. */
export type Params<P extends Fields> = {
  readonly [K in keyof P]: P[K] extends Field<infer T> ? (null extends T ? Exclude<T, null> | undefined : T) : never
}

/**
 * A read-only value of the schema's type. `undefined` is allowed where the schema allows null (`message` is then absent).
 */
type MethodResult<R> = unknown extends R ? unknown : ReadonlyDeep<R> | (null extends R ? undefined : never)

type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T

/** Definition of a method, with parameters and response typed by their descriptions. */
export interface MethodDescription<P extends Fields, R> extends Omit<Method, 'params' | 'returns' | 'run'> {
  readonly params?: P
  readonly returns?: ResponseSchema<R>
  run(params: Params<P>, context: MethodContext): Promise<MethodResult<R> | Download>
}

/** Defines a method. The wire validates the parameters before it calls `run`. */
export function defineMethod<const P extends Fields = Record<never, Field>, R = unknown>(
  method: MethodDescription<P, R>,
): Method {
  return method
}
