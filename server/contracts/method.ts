import type { Field } from '#shared/fields.ts'
import type { TokenScope } from '#shared/rules/token-scopes.ts'
import type { ResponseSchema } from '#shared/schema.ts'
import type { Documents } from './documents.ts'
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
