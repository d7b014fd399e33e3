import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import type { TokenScope } from '#shared/rules/token-scopes.ts'

/** Through which door an act came; written to the activity log. */
export type Via = 'web' | 'api' | 'job' | 'schedule' | 'terminal'

/** What the API token of a request may do at most. The gate takes the lower of this and the person's present rights. */
export interface TokenRights {
  /** Name of the API Token document. */
  readonly name: string
  /** The one organization it works in. */
  readonly organization: string
  readonly role: OrganizationRole
  readonly scopes: readonly TokenScope[]
}

/** Who acts. Built by the session store from a cookie or token, never from what a client says. */
export interface Session {
  /** E-mail; `Guest`; `System` for our own schedule and jobs. */
  readonly user: string
  readonly kind: 'guest' | 'cookie' | 'token' | 'system'
  /** Chosen organization (its slug); lists are scoped to it. Null without one. */
  readonly organization: string | null
  /** Role profile 'Easydash Admin'. */
  readonly platformAdmin: boolean
  /** E-mail verified and role 'Easydash User': without it only self rows work. */
  readonly verified: boolean
  readonly fullName: string
  readonly via: Via
  readonly ip: string | null
  /** Id of the stored session (not the cookie's value), `token:NAME` for API tokens; null for guests and the system. */
  readonly id: string | null
  /** Set when `kind` is `token`, and only then. */
  readonly token?: TokenRights
  /** When the password was last checked in this session (ms since epoch); null when never. */
  readonly reauthAt: number | null
}

/** Where sessions live. Written by the accounts feature, used by the wire; both know it only by this shape. */
export interface SessionStore {
  /** The live session of a `sid` cookie; null for unknown, ended or expired ones. Slides the idle time. */
  resolveCookie(sid: string, ip: string): Promise<{ session: Session; csrfToken: string } | null>
  /** `Authorization` header → session; null when its credentials are wrong. */
  resolveAuthorization(header: string, ip: string): Promise<Session | null>
  /**
   * Starts a session with a new random sid; `sid` is given once, only its hash is kept. `ttlSeconds` is the cookie's life.
   * `continues`: the caller's session until now, which goes on under the new sid when it waits for that. `provenWith`: as
   * in `signIn`; whoever changes a password ends every session that was started with the one before.
   */
  create(
    user: string,
    client: { ip: string; userAgent: string; continues?: string | null; provenWith?: string | undefined },
  ): Promise<{ sid: string; csrfToken: string; session: Session; ttlSeconds: number }>
  /** Makes a device known to an account. Returns the new value of the device cookie. */
  rememberDevice(user: string, client: { ip: string; device: string | null }): Promise<string>
  end(sessionId: string): Promise<void>
  /** Cookie facts of a user: `full_name`, `user_image`, `system_user`. */
  profile(user: string): Promise<{ full_name: string; user_image: string; system_user: 'yes' | 'no' }>
  /**
   * Told (in every process, within 5 s) when sessions end or a user loses an organization, so that sockets close.
   * Without a user: something may have been missed, every connection's session is to be looked at again.
   */
  onRevoked(
    listener: (revoked: { user: string | null; sessionId: string | null; organization: string | null }) => void,
  ): () => void
}
