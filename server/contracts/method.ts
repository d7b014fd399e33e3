import type { Fields } from '#shared/doctype.ts'
import type { Field } from '#shared/fields.ts'
import type { TokenScope } from '#shared/rules/token-scopes.ts'
import type { ResponseSchema } from '#shared/schema.ts'
import type { Documents } from './documents.ts'
import type { Download } from './files.ts'
import type { Session } from './session.ts'

/** Access rule of a method; one without a rule stops start-up. */
export type MethodAccess =
  /** Anybody, rate limited. */
  | 'guest'
  /** Any signed-in user, verified or not: self rows. */
  | 'self'
  /** Signed in and verified. */
  | 'verified'
  /** Verified member of the current organization. */
  | 'member'
  /** Platform admin. */
  | 'platform'

/** One callable method of `/api/method`. */
export interface Method {
  /** Full dotted name; the bare last segment works too where it is unique. */
  readonly name: string
  readonly access: MethodAccess
  /** Writing methods are POST only. */
  readonly verbs: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[]
  /**
   * Which API tokens may call it: those with the scope, or any valid one (`any`: what it does passes the gate, or it says
   * nothing but who calls). Absent: none.
   */
  readonly tokens?: TokenScope | 'any'
  /** Described like fields: types are checked (417 FrappeTypeError), unknown parameters ignored. */
  readonly params?: Record<string, Field>
  /** One sentence for the reference documentation. */
  readonly description: string
  /** What `message` holds, for the reference documentation; the wire tests hold the answers against it. */
  readonly returns?: ResponseSchema
  /** What the answer carries beside `message` (see `extra`). */
  readonly extras?: Readonly<Record<string, ResponseSchema>>
  run(params: Record<string, unknown>, context: MethodContext): Promise<unknown>
}

/** What a method gets. */
export interface MethodContext {
  readonly session: Session
  readonly documents: Documents
  readonly ip: string
  readonly userAgent: string
  /** Value of the device cookie (`rememberDevice`); null without one. */
  readonly device: string | null
  /**
   * Starts a session for the user and sets the cookies (a new sid always). `provenWith`: version of the password
   * that was right; throws `unauthorized` when another one was chosen since.
   */
  signIn(user: string, provenWith?: string): Promise<void>
  /**
   * Makes the caller's device known to an account that it signed in to, as `signIn` does by itself, or whose mailbox it
   * proved: failed sign-ins from elsewhere do not hold it up.
   */
  rememberDevice(user: string): Promise<void>
  /** Ends the caller's session and expires the cookies. */
  signOut(): Promise<void>
  /** Adds a `_server_messages` notice to the answer. */
  notice(message: string, title?: string, indicator?: 'green' | 'blue'): void
  /** Adds a top-level key to the answer (`home_page`, `docs` …). */
  extra(key: string, value: unknown): void
}

/** What a method gets of its parameters: checked, in their own types; what is absent or empty and has no default is left out. */
export type Params<P extends Fields> = {
  readonly [K in keyof P]: P[K] extends Field<infer T> ? (null extends T ? Exclude<T, null> | undefined : T) : never
}

/** A value as its schema says, which nothing changes any more; nothing at all where it may be null (`message` is absent). */
type Answer<R> = unknown extends R ? unknown : ReadonlyDeep<R> | (null extends R ? undefined : never)

type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T

/** A method as it is written down: parameters and answer have the types of their descriptions. */
export interface MethodDescription<P extends Fields, R> extends Omit<Method, 'params' | 'returns' | 'run'> {
  readonly params?: P
  readonly returns?: ResponseSchema<R>
  run(params: Params<P>, context: MethodContext): Promise<Answer<R> | Download>
}

/** Describes a method. The wire checks the parameters by their description before it calls `run`. */
export function defineMethod<const P extends Fields = Record<never, Field>, R = unknown>(
  method: MethodDescription<P, R>,
): Method {
  return method
}
