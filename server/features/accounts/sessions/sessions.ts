import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { SessionStore } from '#server/contracts/session.ts'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import { adminProfile, platformRole } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { createApiTokenSessions, tokenSessionId } from './api-token-sessions.ts'
import type { AccountsDeps } from '../deps.ts'
import { rememberRequester } from '../sign-in/known-devices.ts'
import { createSessionCache, type Resolved } from './session-cache.ts'
import { createRevocations, type Revocations } from './session-revocation.ts'

/** Maximum lifetime of a session in seconds (30 days). It ends earlier after 24 hours without use. */
export const sessionSeconds = 30 * 86_400

/** The session store plus operations that only the accounts feature uses. */
export interface AccountSessions extends SessionStore {
  /** Listens to other processes; resolves once subscribed. */
  start(): Promise<void>
  /** Ends all sessions of the user except the given one, in the transaction. Returns how many ended. */
  endAll(tx: Tx, user: string, exceptId?: string | null): Promise<number>
  /** Ends the user's session with this lineage, in the transaction. */
  endOne(tx: Tx, user: string, lineage: string): Promise<void>
  /** An API token was revoked or deleted; call it in the same transaction. */
  endToken(tx: Tx, user: string, name: string): Promise<void>
  /** Records a password confirmation; the next `create` for this client continues the session under a new sid. */
  confirmAndRotate(tx: Tx, sessionId: string, freshPassword: boolean): Promise<void>
  /** User data changed (name, role, organization): every process reads it again. */
  changed: Revocations['changed']
  /** The user lost access to an organization: their sockets close. */
  lostOrganization: Revocations['lostOrganization']
}

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
}

/**
 * The query that runs for every request. The organization is the chosen one while the user is a member, else the first one
 * they joined. Disabled accounts have no session.
 */
const RESOLVE = {
  name: 'easydash-session',
  text: `select s.id, s."user", s.csrf_token, (extract(epoch from s.reauth_at) * 1000)::float8 as reauth_ms,
      s.last_used < now() - interval '1 minute' as stale,
      u.full_name, u.user_image, u.email_verified, u.roles, u.role_profile_name,
      (select m.parent from tab_organization_member m join tab_organization o on o.name = m.parent and o.enabled = 1
        where m."user" = s."user" order by (m.parent = meta.current_organization) desc nulls last, m.creation, m.name limit 1) as organization
    from easydash_session s
    join tab_user u on u.name = s."user" and u.enabled = 1
    left join tab_user_meta meta on meta.name = s."user"
    where s.sid_hash = $1 and s.ended is null and s.expires > now() and s.last_used > now() - interval '24 hours'`,
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
      verified,
      platformAdmin: verified && row.role_profile_name === adminProfile,
      fullName,
      via: 'web',
      ip: null,
      id: row.id,
      reauthAt: row.reauth_ms,
    },
  }
}

/** Creates the session store. */
export function createSessions(deps: Pick<AccountsDeps, 'database' | 'log' | 'rateLimiter'>): AccountSessions {
  const { database, log } = deps
  const cache = createSessionCache()
  const revocations = createRevocations({ database, log, forget: cache.forget })
  const tokens = createApiTokenSessions({
    database,
    rateLimiter: deps.rateLimiter,
    cache,
    expired: (user, sessionId) => revocations.endedHere(user, sessionId),
  })

  async function load(sidHash: string): Promise<Resolved | null> {
    const { rows } = await database.pool.query<Row>({ ...RESOLVE, values: [sidHash] })
    const row = rows[0]
    if (!row) return null
    if (row.stale)
      await sql`update easydash_session set last_used = now() where id = ${row.id} and last_used < now() - interval '1 minute'`.execute(
        database.db,
      )
    return resolvedFrom(row)
  }

  /**
   * Replaces the session that is marked for rotation. The new one keeps the CSRF token, which open pages use, and the
   * expiry.
   */
  async function continueSession(user: string, sidHash: string, oldId: string): Promise<boolean> {
    const { rows } = await sql`with old as (
        update easydash_session set rotate_at = null, ended = now()
        where id = ${oldId} and "user" = ${user} and rotate_at > now() - interval '10 seconds' and ended is null
        returning *)
      insert into easydash_session (id, lineage, sid_hash, "user", csrf_token, created, expires, ip, user_agent, reauth_at)
      select ${randomUUID()}, lineage, ${sidHash}, "user", csrf_token, created, expires, ip, user_agent, reauth_at from old
      returning id`.execute(database.db)
    return rows.length > 0
  }

  /**
   * Inserts nothing if the proven password was changed or the continued session ended meanwhile. The row locks (`for share`)
   * serialize this with the request that changes the password or ends the session. Another request may already have
   * continued the session.
   */
  async function startSession(
    user: string,
    sidHash: string,
    client: { ip: string; userAgent: string },
    { provenWith, continues }: { provenWith: string | null; continues: string | null },
  ): Promise<void> {
    const id = randomUUID()
    const continued = provenWith === null ? continues : null
    // A new session starts with a password that was just checked; a continued one keeps its confirmation time.
    await sql`insert into easydash_session (id, lineage, sid_hash, "user", csrf_token, expires, ip, user_agent, reauth_at)
      select ${id}, ${id}, ${sidHash}, ${user}, ${newToken()}, now() + make_interval(secs => ${sessionSeconds}), ${client.ip}, ${client.userAgent},
        case when ${continued}::text is null then now() else (select reauth_at from easydash_session where id = ${continued}) end
      where (${provenWith}::text is null or exists (select 1 from easydash_credential
        where "user" = ${user} and changed = ${provenWith}::timestamptz for share))
      and (${continued}::text is null or exists (select 1 from easydash_session
        where lineage = (select lineage from easydash_session where id = ${continued}) and ended is null for share))`.execute(
      database.db,
    )
    await sql`delete from easydash_session where "user" = ${user} and least(ended, expires) < now() - interval '30 days'`.execute(
      database.db,
    )
  }

  /** Announces the end of sessions, including all earlier ids of the same lineages. */
  async function tellEnded(trx: Db, user: string, lineages: readonly string[]): Promise<void> {
    const { rows } = await sql<{
      id: string
    }>`select id from easydash_session where lineage = any(${lineages})`.execute(trx)
    for (const { id } of rows) await revocations.ended(trx, user, id)
  }

  return {
    start: revocations.start,
    onRevoked: revocations.onRevoked,
    changed: revocations.changed,
    lostOrganization: revocations.lostOrganization,

    async resolveCookie(sid, ip) {
      if (!/^[\w-]{43}$/.test(sid)) return null
      revocations.startInBackground()
      const sidHash = hashToken(sid)
      const found = await cache.get(sidHash, () => load(sidHash))
      return found ? { session: { ...found.session, ip }, csrfToken: found.csrfToken } : null
    },

    resolveAuthorization(header, ip) {
      revocations.startInBackground()
      return tokens.resolve(header, ip)
    },

    async create(user, client) {
      const sid = newToken()
      const sidHash = hashToken(sid)
      const place = { ip: client.ip, userAgent: client.userAgent.slice(0, 300) }
      const { continues = null, provenWith = null } = client
      const continued = continues !== null && (await continueSession(user, sidHash, continues))
      if (!continued) await startSession(user, sidHash, place, { provenWith, continues })
      cache.forget(user)
      const found = await load(sidHash)
      if (!found) throw new AppError('unauthorized', msg`Invalid login credentials`, { excType: 'AuthenticationError' })
      return {
        sid,
        csrfToken: found.csrfToken,
        session: { ...found.session, ip: client.ip },
        ttlSeconds: sessionSeconds,
      }
    },

    rememberDevice: (user, client) => rememberRequester(database.db, user, client),

    async end(sessionId) {
      const user = await database.db.transaction().execute(async (trx) => {
        const { rows } = await sql<{ user: string; lineage: string }>`update easydash_session set ended = now()
          where id = ${sessionId} and ended is null returning "user", lineage`.execute(trx)
        const row = rows[0]
        if (row) await tellEnded(trx, row.user, [row.lineage])
        return row?.user ?? null
      })
      if (user !== null) cache.forget(user)
    },

    async endAll(tx, user, exceptId = null) {
      const { rows } = await sql<{ lineage: string }>`update easydash_session set ended = now()
        where "user" = ${user} and ended is null and id is distinct from ${exceptId} returning lineage`.execute(tx.trx)
      await tellEnded(
        tx.trx,
        user,
        rows.map(({ lineage }) => lineage),
      )
      tx.afterCommit(() => cache.forget(user))
      return rows.length
    },

    async endOne(tx, user, lineage) {
      await sql`update easydash_session set ended = now()
        where "user" = ${user} and lineage = ${lineage} and ended is null`.execute(tx.trx)
      await tellEnded(tx.trx, user, [lineage])
      tx.afterCommit(() => cache.forget(user))
    },

    async endToken(tx, user, name) {
      await revocations.ended(tx.trx, user, tokenSessionId(name))
      tx.afterCommit(() => cache.forget(user))
    },

    async confirmAndRotate(tx, sessionId, freshPassword) {
      const { rows } = await sql<{ user: string }>`update easydash_session set rotate_at = now(),
        reauth_at = case when ${freshPassword} then now() else reauth_at end where id = ${sessionId} and ended is null returning "user"`.execute(
        tx.trx,
      )
      if (rows[0]) await revocations.changed(tx, rows[0].user)
    },

    async profile(user) {
      const known = cache.profile(user)
      if (known) return known
      const { rows } = await database.pool.query<Pick<Row, 'full_name' | 'user_image' | 'roles'>>({
        name: 'easydash-profile',
        text: 'select full_name, user_image, roles from tab_user where name = $1',
        values: [user],
      })
      const row = rows[0]
      return {
        full_name: row?.full_name ?? user,
        user_image: row?.user_image ?? '',
        system_user: (row?.roles ?? []).includes(platformRole) ? 'yes' : 'no',
      }
    },
  }
}
