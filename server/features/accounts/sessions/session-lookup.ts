import { sql } from 'kysely'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { hashToken } from '#server/platform/secrets/tokens.ts'
import { adminProfile, platformRole, UserDoctype } from '#shared/doctypes/user.ts'
import type { Profile, Resolved } from './session-cache.ts'
import type { SessionsContext } from './sessions-context.ts'

interface Row {
  id: string
  user: string
  csrf_token: string
  reauth_ms: number | null
  stale: boolean
  full_name: string | null
  user_image: string | null
  email_verified: number
  roles: string[] | null
  role_profile_name: string | null
  organization: string | null
  needs_second_factor: boolean | null
  login_provider: string | null
}

/**
 * The query that runs for every request. The organization is the chosen one while the user is a member, else the first one
 * they joined. Disabled accounts have no session. One that an organization's login provider vouched for counts only while the
 * account is in that organization alone and doesn't administer the platform: what else it has, the provider's owner is not to reach.
 */
const RESOLVE = {
  name: 'easydash-session',
  text: `select s.id, s."user", s.csrf_token, (extract(epoch from s.reauth_at) * 1000)::float8 as reauth_ms,
      s.last_used < now() - interval '1 minute' as stale,
      u.full_name, u.user_image, u.email_verified, u.roles, u.role_profile_name,
      here.organization, here.require_two_factor = 1 and u.two_factor = 0 as needs_second_factor,
      link.organization as login_provider
    from easydash_session s
    join tab_user u on u.name = s."user" and u.enabled = 1
    left join tab_user_meta meta on meta.name = s."user"
    left join lateral (select m.parent as organization, o.require_two_factor
      from tab_organization_member m join tab_organization o on o.name = m.parent and o.enabled = 1
      where m."user" = s."user" order by (m.parent = meta.current_organization) desc nulls last, m.creation, m.name limit 1) here on true
    left join easydash_provider_link link on link.id = s.provider_link
    where (s.provider_link is null or (link."user" = s."user" and here.organization = link.organization
        and u.role_profile_name is distinct from '${adminProfile}'
        and not exists (select 1 from tab_organization_member e where e."user" = s."user" and e.parent <> link.organization)))
      and s.sid_hash = $1 and s.ended is null and s.expires > now() and s.last_used > now() - interval '24 hours'`,
}

function resolvedFrom(row: Row): Resolved {
  const isUser = (row.roles ?? []).includes(platformRole)
  const verified = row.email_verified === 1 && isUser
  const fullName = row.full_name ?? row.user
  return {
    csrfToken: row.csrf_token,
    profile: { full_name: fullName, user_image: row.user_image ?? '', system_user: isUser ? 'yes' : 'no' },
    session: {
      user: row.user,
      kind: 'cookie',
      organization: row.organization,
      needsSecondFactor: row.needs_second_factor === true,
      verified,
      platformAdmin: verified && row.role_profile_name === adminProfile,
      fullName,
      via: 'web',
      ip: null,
      id: row.id,
      reauthAt: row.reauth_ms,
      ...(row.login_provider === null ? {} : { loginProvider: row.login_provider }),
    },
  }
}

/** The live session of a `sid` cookie, from the cache if it is there; null if it is unknown, ended or expired. */
export async function resolveCookie(
  context: SessionsContext,
  sid: string,
  ip: string,
): Promise<{ session: Session; csrfToken: string } | null> {
  if (!/^[\w-]{43}$/.test(sid)) return null
  context.revocations.startInBackground()
  const sidHash = hashToken(sid)
  const found = await context.cache.get(sidHash, () => loadSession(context, sidHash))
  return found ? { session: { ...found.session, ip }, csrfToken: found.csrfToken } : null
}

/** The live session with this hash of its sid, from the database; null if there is none. Extends the idle timeout. */
export async function loadSession({ database }: SessionsContext, sidHash: string): Promise<Resolved | null> {
  const { rows } = await database.pool.query<Row>({ ...RESOLVE, values: [sidHash] })
  const row = rows[0]
  if (!row) return null
  if (row.stale)
    await sql`update easydash_session set last_used = now() where id = ${row.id} and last_used < now() - interval '1 minute'`.execute(
      database.db,
    )
  return resolvedFrom(row)
}

/** Cookie values of a user, from a cached session if there is one. */
export async function profileOf({ documents, cache }: SessionsContext, user: string): Promise<Profile> {
  const known = cache.profile(user)
  if (known) return known
  const [row] = await documents().transaction(systemSession('schedule'), (tx) =>
    tx.listFields(UserDoctype, ['full_name', 'user_image', 'roles'], [['name', '=', user]]),
  )
  return {
    full_name: row?.full_name ?? user,
    user_image: row?.user_image ?? '',
    system_user: (row?.roles ?? []).includes(platformRole) ? 'yes' : 'no',
  }
}
