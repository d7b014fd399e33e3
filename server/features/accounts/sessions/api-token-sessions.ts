import type { Session } from '#server/contracts/session.ts'
import { hashToken, sameSecret } from '#server/platform/secrets/tokens.ts'
import { platformRole } from '#shared/doctypes/user.ts'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { isTokenScope } from '#shared/rules/token-scopes.ts'
import type { AccountsDeps } from '../deps.ts'
import type { Resolved, SessionCache } from './session-cache.ts'

/** Credentials of an `Authorization` header. */
export interface ApiCredentials {
  key: string
  secret: string
}

/** Session id of a token, as used by sockets and revocations. */
export const tokenSessionId = (name: string): string => `token:${name}`

/**
 * Reads `token KEY:SECRET`, `Bearer KEY:SECRET` and `Basic base64(KEY:SECRET)`; null for anything that is not in our format.
 */
export function readAuthorization(header: string): ApiCredentials | null {
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +(\S+)$/.exec(header.trim()) ?? []
  const kind = scheme.toLowerCase()
  if (!['token', 'bearer', 'basic'].includes(kind)) return null
  const pair = kind === 'basic' ? Buffer.from(value, 'base64').toString('latin1') : value
  const [, key, secret] = /^(\w{8,40}):([\w-]{43})$/.exec(pair) ?? []
  return key === undefined || secret === undefined ? null : { key, secret }
}

interface Row {
  name: string
  user: string
  organization: string
  role: OrganizationRole
  scopes: unknown
  secret_hash: string
  expires_ms: number | null
  stale: boolean
  full_name: string | null
  user_image: string | null
  roles: string[] | null
  needs_second_factor: boolean
}

/** Valid tokens only: the account is enabled, verified and still a member of the enabled organization. */
const RESOLVE = {
  name: 'easydash-api-token',
  text: `select t.name, t."user", t.organization, t.role, t.scopes, t.secret_hash,
      (extract(epoch from t.expires) * 1000)::float8 as expires_ms,
      coalesce(t.last_used < (now() at time zone 'utc') - interval '1 minute', true) as stale,
      u.full_name, u.user_image, u.roles, o.require_two_factor = 1 and u.two_factor = 0 as needs_second_factor
    from tab_api_token t
    join tab_user u on u.name = t."user" and u.enabled = 1 and u.email_verified = 1
    join tab_organization o on o.name = t.organization and o.enabled = 1
    join tab_organization_member m on m.parent = o.name and m."user" = t."user"
    where t.api_key = $1 and t.enabled = 1 and (t.expires is null or t.expires > now() at time zone 'utc')`,
}

/** The part of the session store that handles API tokens. */
export interface ApiTokenSessions {
  /**
   * The session for an `Authorization` header, or null if it is not valid. Throws `rate_limited` after many invalid ones.
   */
  resolve(header: string, ip: string): Promise<Session | null>
}

/**
 * Resolves tokens through the session cache. Calls `expired` when a token used in this process expires, so that its sockets
 * close.
 */
export function createApiTokenSessions(
  deps: Pick<AccountsDeps, 'database' | 'rateLimiter'> & {
    cache: SessionCache
    expired: (user: string, sessionId: string) => void
  },
): ApiTokenSessions {
  const { database, rateLimiter, cache } = deps
  /** Expiry timers of the tokens used in this process. */
  const ends = new Map<string, NodeJS.Timeout>()

  function waitForEnd({ name, user, expires_ms: at }: Pick<Row, 'name' | 'user' | 'expires_ms'>): void {
    if (at === null || ends.has(name)) return
    const left = Math.max(at - Date.now(), 0)
    // setTimeout takes at most 24 days, so longer delays are split into days.
    const timer = setTimeout(
      () => {
        ends.delete(name)
        if (Date.now() < at) waitForEnd({ name, user, expires_ms: at })
        else deps.expired(user, tokenSessionId(name))
      },
      Math.min(left, 86_400_000),
    )
    ends.set(name, timer.unref())
  }

  async function load({ key, secret }: ApiCredentials, ip: string): Promise<Resolved | null> {
    const { rows } = await database.pool.query<Row>({ ...RESOLVE, values: [key] })
    const row = rows[0]
    // Always compared, so that the timing does not reveal which keys exist.
    if (!sameSecret(hashToken(secret), row?.secret_hash ?? '') || !row) return null
    if (row.stale) {
      await database.pool.query(
        `update tab_api_token set last_used = now() at time zone 'utc', last_ip = $2 where name = $1
          and coalesce(last_used < (now() at time zone 'utc') - interval '1 minute', true)`,
        [row.name, ip],
      )
    }
    waitForEnd(row)
    return resolvedFrom(row)
  }

  return {
    async resolve(header, ip) {
      const credentials = readAuthorization(header)
      const cacheKey = hashToken(`token ${credentials?.key ?? ''}:${credentials?.secret ?? ''}`)
      const cached = credentials && cache.peek(cacheKey)
      if (cached) return { ...cached.session, ip }
      // An attempt counts before the lookup and is refunded if it succeeds.
      await rateLimiter.hit('token_ip', { address: ip })
      const found = credentials && (await cache.get(cacheKey, () => load(credentials, ip)))
      if (!found) return null
      await rateLimiter.refund('token_ip', { address: ip })
      return { ...found.session, ip }
    },
  }
}

function resolvedFrom(row: Row): Resolved {
  const isUser = (row.roles ?? []).includes(platformRole)
  const fullName = row.full_name ?? row.user
  const scopes = Array.isArray(row.scopes) ? row.scopes.filter(isTokenScope) : []
  return {
    csrfToken: '',
    profile: { full_name: fullName, user_image: row.user_image ?? '', system_user: isUser ? 'yes' : 'no' },
    session: {
      user: row.user,
      kind: 'token',
      organization: row.organization,
      needsSecondFactor: row.needs_second_factor,
      verified: isUser,
      platformAdmin: false,
      fullName,
      via: 'api',
      ip: null,
      id: tokenSessionId(row.name),
      reauthAt: null,
      token: { name: row.name, organization: row.organization, role: row.role, scopes },
    },
  }
}
