import { sql } from 'kysely'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import { tokenSessionId } from './api-token-sessions.ts'
import type { Revocations } from './session-revocation.ts'
import type { SessionsContext } from './sessions-context.ts'

/** Whether a row of `easydash_session` has not expired, by its age or for want of use. */
export const notExpired = sql<boolean>`(expires > now() and last_used > now() - interval '24 hours')`

/** Ends the session with this id, if it has not ended yet. */
export async function endSession({ database, cache, revocations }: SessionsContext, sessionId: string): Promise<void> {
  const user = await database.db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ user: string; lineage: string }>`update easydash_session set ended = now()
      where id = ${sessionId} and ended is null returning "user", lineage`.execute(trx)
    const row = rows[0]
    if (row) await announceEnded(revocations, trx, row.user, [row.lineage])
    return row?.user ?? null
  })
  if (user !== null) await cache.forget(user)
}

/** Ends all sessions of the user except the given one, in the transaction. Returns how many could still be used. */
export async function endAllSessions(
  { cache, revocations }: SessionsContext,
  tx: Tx,
  user: string,
  exceptId: string | null,
): Promise<number> {
  const { rows } = await sql<{ lineage: string; live: boolean }>`update easydash_session set ended = now()
    where "user" = ${user} and ended is null and id is distinct from ${exceptId}
    returning lineage, ${notExpired} as live`.execute(tx.trx)
  const lineages = rows.map(({ lineage }) => lineage)
  await announceEnded(revocations, tx.trx, user, lineages)
  tx.afterCommit(() => cache.forget(user))
  return rows.filter(({ live }) => live).length
}

/** Ends the user's session with this lineage, in the transaction. */
export async function endOneSession(
  { cache, revocations }: SessionsContext,
  tx: Tx,
  user: string,
  lineage: string,
): Promise<void> {
  await sql`update easydash_session set ended = now()
    where "user" = ${user} and lineage = ${lineage} and ended is null`.execute(tx.trx)
  await announceEnded(revocations, tx.trx, user, [lineage])
  tx.afterCommit(() => cache.forget(user))
}

/** Ends the sessions that were started by these links to a login provider, in the transaction. */
export async function endSessionsByLinks(
  { cache, revocations }: SessionsContext,
  tx: Tx,
  links: readonly string[],
): Promise<void> {
  if (links.length === 0) return
  const { rows } = await sql<{ user: string; lineage: string }>`update easydash_session set ended = now()
    where provider_link = any(${[...links]}::text[]) and ended is null returning "user", lineage`.execute(tx.trx)
  for (const { user, lineage } of rows) await announceEnded(revocations, tx.trx, user, [lineage])
  tx.afterCommit(async () => {
    await Promise.all([...new Set(rows.map(({ user }) => user))].map((user) => cache.forget(user)))
  })
}

/** Ends what a revoked or deleted API token has open, in the transaction. */
export async function endTokenSessions(
  { cache, revocations }: SessionsContext,
  tx: Tx,
  user: string,
  token: string,
): Promise<void> {
  await revocations.ended(tx.trx, user, tokenSessionId(token))
  tx.afterCommit(() => cache.forget(user))
}

/** Announces the end of sessions, including all earlier ids of the same lineages. */
async function announceEnded(
  revocations: Revocations,
  trx: Db,
  user: string,
  lineages: readonly string[],
): Promise<void> {
  const { rows } = await sql<{
    id: string
  }>`select id from easydash_session where lineage = any(${lineages})`.execute(trx)
  for (const { id } of rows) await revocations.ended(trx, user, id)
}
