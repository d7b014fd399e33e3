import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { AppError } from '#shared/errors.ts'
import { scopesAllow, splitScope, type TokenScope } from '#shared/rules/token-scopes.ts'
import { msg } from '#shared/localized-message.ts'

/** Entry point of an action; recorded in the activity log. */
export type Via = 'web' | 'api' | 'job' | 'schedule' | 'terminal' | MachineKind

/** A caller that is not a user: a server of an organization (metrics, EasyEngine), or a vendor's webhook. */
export type MachineKind = 'server' | 'webhook'

/** Upper bound on what the API token of a request can do. The gate uses the lower of this and the user's current rights. */
export interface TokenRights {
  /** Name of the API Token document. */
  readonly name: string
  /** The only organization it works in. */
  readonly organization: string
  readonly role: OrganizationRole
  readonly scopes: readonly TokenScope[]
}

/** The acting identity. Built by the session store from a cookie or token, never from client-supplied values. */
export interface Session {
  /** Email address; `Guest`; `System` for our own schedules and jobs; `server:NAME` or `webhook:ENDPOINT` for machines. */
  readonly user: string
  readonly kind: 'guest' | 'cookie' | 'token' | 'system' | MachineKind
  /** Slug of the current organization; lists are scoped to it. Null if there is none. */
  readonly organization: string | null
  /**
   * The current organization requires the two-factor authentication that the user lacks. Only for methods and sentences: the gate
   * reads it itself, and gives no role.
   */
  readonly needsSecondFactor?: boolean
  /** Role profile 'Easydash Admin'. */
  readonly platformAdmin: boolean
  /** Email verified and role 'Easydash User'. Without it, only the user's own rows are accessible. */
  readonly verified: boolean
  readonly fullName: string
  readonly via: Via
  readonly ip: string | null
  /**
   * Id of the stored session (not the cookie's value), `token:NAME` for API tokens, `machine:ID` for tokens of machines; null for
   * guests and the system.
   */
  readonly id: string | null
  /** Set only if `kind` is `token`. */
  readonly token?: TokenRights
  /** Set only for machines: the one server (its document's name) or webhook endpoint its token is for. */
  readonly machine?: string
  /** The organization whose login provider started the session; absent if a password did. */
  readonly loginProvider?: string
  /** When the password was last checked in this session (ms since epoch); null if never. */
  readonly reauthAt: number | null
}

/**
 * Whether the caller is a machine. Machines have no role and no document permission; a method must name their kind, and a
 * feature that serves them checks `machine` itself.
 */
export function isMachine({ kind }: Pick<Session, 'kind'>): boolean {
  return kind === 'server' || kind === 'webhook'
}

/** Throws `forbidden` for an API token without this scope; other callers pass. */
export function requireScope({ kind, token }: Pick<Session, 'kind' | 'token'>, scope: TokenScope): void {
  if (kind !== 'token' || scopesAllow(token?.scopes ?? [], ...splitScope(scope))) return
  throw new AppError('forbidden', msg`The API token lacks the scope ${scope}.`)
}

/** Throws `forbidden` unless the caller has verified their email address. */
export function requireVerified({ verified }: Pick<Session, 'verified'>): void {
  if (!verified) throw new AppError('forbidden', msg`Verify your email address first.`)
}

/** Error for everything in an organization that requires the two-factor authentication that the caller lacks. */
export function secondFactorNeeded(): AppError {
  return new AppError('forbidden', msg`Your organization requires two-factor authentication.`, {
    excType: 'PermissionError',
    nextAction: msg`Set it up in your account’s settings first.`,
  })
}

/** Whether the caller is outside of this program, so that limits of calls and of written bytes apply. */
export function isExternalCaller(session: Pick<Session, 'kind' | 'via'>): boolean {
  return session.kind !== 'system' && (session.via === 'web' || session.via === 'api' || isMachine(session))
}

/** Stores sessions. Implemented by the accounts feature and used by the wire; this interface is all they share. */
export interface SessionStore {
  /** Returns the live session of a `sid` cookie; null if it is unknown, ended or expired. Extends the idle timeout. */
  resolveCookie(sid: string, ip: string): Promise<{ session: Session; csrfToken: string } | null>
  /** Resolves an `Authorization` header to a session; null if the credentials are wrong. */
  resolveAuthorization(header: string, ip: string): Promise<Session | null>
  /**
   * Starts a session with a new random sid. `sid` is returned once; only its hash is stored. `ttlSeconds` is the cookie's
   * lifetime. `continues`: the caller's current session, which continues under the new sid if it is waiting to be rotated
   * (after a password check). `provenWith`: as in `signIn`; changing a password ends every session started with the previous
   * one. `providerLink`: the link to a login provider that vouched for the user; the session ends with it.
   */
  create(
    user: string,
    client: {
      ip: string
      userAgent: string
      continues?: string | null
      provenWith?: string | undefined
      providerLink?: string | undefined
    },
  ): Promise<{ sid: string; csrfToken: string; session: Session; ttlSeconds: number }>
  /** Marks a device as known to an account. Returns the new value of the device cookie. */
  rememberDevice(user: string, client: { ip: string; device: string | null }): Promise<string>
  end(sessionId: string): Promise<void>
  /** Cookie values of a user: `full_name`, `user_image`, `system_user`. */
  profile(user: string): Promise<{ full_name: string; user_image: string; system_user: 'yes' | 'no' }>
  /**
   * Notifies (in every process, within 5 s) when sessions end or a user loses access to an organization, so that sockets get
   * closed. Without a user, notifications may have been missed: recheck the session of every connection.
   */
  onRevoked(
    listener: (revoked: { user: string | null; sessionId: string | null; organization: string | null }) => void,
  ): () => void
}

/** How long a password check is valid, in seconds (docs/security.md). */
export const reauthSeconds = 600

/** Whether the session's password was checked recently. */
export function hasFreshPassword(session: Pick<Session, 'reauthAt'>): boolean {
  return session.reauthAt !== null && Date.now() - session.reauthAt <= reauthSeconds * 1000
}

/** Throws 403 (field `password`) unless it was; work of the product itself has no password. */
export function assertFreshPassword(session: Pick<Session, 'reauthAt' | 'kind'>): void {
  if (session.kind === 'system' || hasFreshPassword(session)) return
  throw new AppError('forbidden', msg`Confirm your password to go on.`, {
    field: 'password',
    excType: 'PermissionError',
    nextAction: msg`Enter your password again, then repeat this.`,
  })
}
