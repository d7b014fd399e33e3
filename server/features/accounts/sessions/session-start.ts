import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { SessionStore } from '#server/contracts/session.ts'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { loadSession } from './session-lookup.ts'
import type { SessionsContext } from './sessions-context.ts'

/** Maximum lifetime of a session in seconds (30 days). It ends earlier after 24 hours without use. */
export const sessionSeconds = 30 * 86_400

/** Starts a session with a new sid, or continues the caller's one under it. See `SessionStore.create`. */
export async function createSession(
  context: SessionsContext,
  user: string,
  client: Parameters<SessionStore['create']>[1],
): ReturnType<SessionStore['create']> {
  const { db } = context.database
  const sid = newToken()
  const sidHash = hashToken(sid)
  const requester = { ip: client.ip, userAgent: client.userAgent.slice(0, 300) }
  const { continues = null, provenWith = null, providerLink = null } = client
  const continued = continues !== null && providerLink === null && (await continueSession(db, user, sidHash, continues))
  if (!continued) await startSession(db, user, sidHash, requester, { provenWith, continues, providerLink })
  await context.cache.forget(user)
  const found = await loadSession(context, sidHash)
  if (!found) throw new AppError('unauthorized', msg`Invalid login credentials`, { excType: 'AuthenticationError' })
  return {
    sid,
    csrfToken: found.csrfToken,
    session: { ...found.session, ip: client.ip },
    ttlSeconds: sessionSeconds,
  }
}

/**
 * Replaces the session that is marked for rotation. The new one keeps the CSRF token, which open pages use, and the
 * expiry.
 */
async function continueSession(db: Db, user: string, sidHash: string, oldId: string): Promise<boolean> {
  const { rows } = await sql`with old as (
      update easydash_session set rotate_at = null, ended = now()
      where id = ${oldId} and "user" = ${user} and rotate_at > now() - interval '10 seconds' and ended is null
      returning *)
    insert into easydash_session (id, lineage, sid_hash, "user", csrf_token, created, expires, ip, user_agent, reauth_at, provider_link)
    select ${randomUUID()}, lineage, ${sidHash}, "user", csrf_token, created, expires, ip, user_agent, reauth_at, provider_link from old
    returning id`.execute(db)
  return rows.length > 0
}

/**
 * Inserts nothing if the proven password was changed, the link removed or the continued session ended meanwhile. The row locks
 * (`for share`) serialize this with the request that changes the password, removes the link or ends the session. Another
 * request may already have continued the session.
 */
async function startSession(
  db: Db,
  user: string,
  sidHash: string,
  client: { ip: string; userAgent: string },
  {
    provenWith,
    continues,
    providerLink,
  }: { provenWith: string | null; continues: string | null; providerLink: string | null },
): Promise<void> {
  const id = randomUUID()
  const continued = provenWith === null && providerLink === null ? continues : null
  // A new session starts with a password that was just checked, unless a login provider vouches for the user; a continued one
  // keeps its confirmation time and its provider.
  await sql`insert into easydash_session (id, lineage, sid_hash, "user", csrf_token, expires, ip, user_agent, reauth_at, provider_link)
    select ${id}, ${id}, ${sidHash}, ${user}, ${newToken()}, now() + make_interval(secs => ${sessionSeconds}), ${client.ip}, ${client.userAgent},
      case when ${providerLink}::text is not null then null
        when ${continued}::text is null then now() else (select reauth_at from easydash_session where id = ${continued}) end,
      coalesce(${providerLink}::text, (select provider_link from easydash_session where id = ${continued}))
    where (${provenWith}::text is null or exists (select 1 from easydash_credential
      where "user" = ${user} and changed = ${provenWith}::timestamptz for share))
    and (${providerLink}::text is null or exists (select 1 from easydash_provider_link
      where id = ${providerLink} and "user" = ${user} for share))
    and (${continued}::text is null or exists (select 1 from easydash_session
      where lineage = (select lineage from easydash_session where id = ${continued}) and ended is null for share))`.execute(
    db,
  )
  await sql`delete from easydash_session where "user" = ${user} and least(ended, expires) < now() - interval '30 days'`.execute(
    db,
  )
}

/** Records a password confirmation and marks the session, so that `createSession` continues it under a new sid. */
export async function confirmAndRotate(
  { revocations }: SessionsContext,
  tx: Tx,
  sessionId: string,
  freshPassword: boolean,
): Promise<void> {
  const { rows } = await sql<{ user: string }>`update easydash_session set rotate_at = now(),
    reauth_at = case when ${freshPassword} then now() else reauth_at end where id = ${sessionId} and ended is null returning "user"`.execute(
    tx.trx,
  )
  if (rows[0]) await revocations.changed(tx, rows[0].user)
}
