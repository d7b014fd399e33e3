import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import type { PlanName } from '#shared/rules/plans.ts'

/** What a token is good for. */
export type TokenKind = 'setup' | 'verify' | 'reset'

/** Seconds a token lives (docs/security.md). A setup token is replaced at each start. */
const lifetime: Readonly<Record<TokenKind, number>> = { setup: 30 * 86_400, verify: 86_400, reset: 1800 }

/** What a link carries beside the right it gives. */
export interface TokenData {
  /** verify: the address the mail went to, when it is not the account's yet. */
  email?: string
  /** verify: what a sign-up with that mail asked for; it counts only when this link is followed. */
  signUp?: {
    password_hash: string
    first_name: string
    last_name: string | null
    /** Absent in links of before the update to it. */
    accept_newsletter?: 0 | 1
    org_sku?: PlanName | null
  }
  /** verify: name of the invitation that the sign-up came with; following the link joins its organization. */
  invitation?: string
}

/** A stored token without its secret. */
export interface TokenRow {
  user: string | null
  data: TokenData
}

/** Makes a token and returns its secret, the only time it can be seen. */
export async function issueToken(trx: Db, kind: TokenKind, user: string | null, data: TokenData = {}): Promise<string> {
  const token = newToken()
  await sql`insert into easydash_token (hash, kind, "user", data, expires) values
    (${hashToken(token)}, ${kind}, ${user}, ${JSON.stringify(data)}, now() + make_interval(secs => ${lifetime[kind]}))`.execute(
    trx,
  )
  await sql`delete from easydash_token where expires < now() - interval '7 days'`.execute(trx)
  return token
}

/** Uses a token up: of several callers at once one gets it, all others and every later one get null. */
export async function useToken(trx: Db, kind: TokenKind, token: string): Promise<TokenRow | null> {
  const { rows } = await sql<TokenRow>`update easydash_token set used = now()
    where hash = ${hashToken(token)} and kind = ${kind} and used is null and expires > now() returning "user", data`.execute(
    trx,
  )
  return rows[0] ?? null
}

/** Looks at a token that still can be used, without using it. */
export async function peekToken(db: Db, kind: TokenKind, token: string): Promise<TokenRow | null> {
  const { rows } = await sql<TokenRow>`select "user", data from easydash_token
    where hash = ${hashToken(token)} and kind = ${kind} and used is null and expires > now()`.execute(db)
  return rows[0] ?? null
}

/** The newest open token of a user, e.g. to see which address waits for verification. */
export async function newestToken(db: Db, kind: TokenKind, user: string): Promise<TokenRow | null> {
  const { rows } = await sql<TokenRow>`select "user", data from easydash_token
    where "user" = ${user} and kind = ${kind} and used is null and expires > now() order by created desc limit 1`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Takes back every token of a kind (of one user, or all of them). */
export async function dropTokens(trx: Db, kind: TokenKind, user: string | null): Promise<void> {
  await sql`delete from easydash_token where kind = ${kind} and used is null and "user" is not distinct from ${user}`.execute(
    trx,
  )
}

/**
 * Whose account it is has been settled: links of sign-ups prove the mailbox from now on and bring no password or names
 * along, and those that would give the account another address are gone.
 */
export async function settleSignUps(trx: Db, user: string): Promise<void> {
  await sql`delete from easydash_token where kind = 'verify' and "user" = ${user} and data->>'email' is not null`.execute(
    trx,
  )
  await sql`update easydash_token set data = data - 'signUp' where kind = 'verify' and "user" = ${user}`.execute(trx)
}
