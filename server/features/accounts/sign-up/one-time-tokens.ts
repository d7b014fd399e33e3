import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import type { PlanName } from '#shared/rules/plans.ts'

/** Purpose of a token. */
export type TokenKind = 'setup' | 'verify' | 'reset'

/** Token lifetime in seconds (docs/security.md). A setup token is replaced at each start. */
const lifetime: Readonly<Record<TokenKind, number>> = { setup: 30 * 86_400, verify: 86_400, reset: 1800 }

/** Who gave the link for a new password, if it was no email: somebody of this organization may know the password. */
export interface GivenBy {
  readonly organization: string
  /** The admin who made it for a member; absent if an invitation was confirmed. */
  readonly admin?: string
}

/** Data stored with a token. */
export interface TokenData {
  /** verify: the address the email went to, if it is not the account's address yet. */
  email?: string
  /** verify: the values of the sign-up that sent this email; they apply only if this link is followed. */
  signUp?: {
    password_hash: string
    first_name: string
    last_name: string | null
    accept_newsletter: 0 | 1
    org_sku: PlanName | null
  }
  /** verify: name of the invitation used for the sign-up; following the link joins its organization. */
  invitation?: string
  /** reset: who gave the link to the person, if it was not sent to their mailbox. */
  givenBy?: GivenBy
}

/** A stored token without its secret. */
export interface TokenRow {
  user: string | null
  data: TokenData
}

/** Creates a token and returns its secret, the only time it is visible. */
export async function issueToken(trx: Db, kind: TokenKind, user: string | null, data: TokenData = {}): Promise<string> {
  const token = newToken()
  await sql`insert into easydash_token (hash, kind, "user", data, expires) values
    (${hashToken(token)}, ${kind}, ${user}, ${JSON.stringify(data)}, now() + make_interval(secs => ${lifetime[kind]}))`.execute(
    trx,
  )
  await sql`delete from easydash_token where expires < now() - interval '7 days'`.execute(trx)
  return token
}

/** Consumes a token; of several concurrent callers exactly one gets it, everyone else gets null. */
export async function useToken(trx: Db, kind: TokenKind, token: string): Promise<TokenRow | null> {
  const { rows } = await sql<TokenRow>`update easydash_token set used = now()
    where hash = ${hashToken(token)} and kind = ${kind} and used is null and expires > now() returning "user", data`.execute(
    trx,
  )
  return rows[0] ?? null
}

/** Reads a usable token without consuming it. */
export async function peekToken(db: Db, kind: TokenKind, token: string): Promise<TokenRow | null> {
  const { rows } = await sql<TokenRow>`select "user", data from easydash_token
    where hash = ${hashToken(token)} and kind = ${kind} and used is null and expires > now()`.execute(db)
  return rows[0] ?? null
}

/** The newest open token of a user, e.g. to see which address is pending verification. */
export async function newestToken(db: Db, kind: TokenKind, user: string): Promise<TokenRow | null> {
  const { rows } = await sql<TokenRow>`select "user", data from easydash_token
    where "user" = ${user} and kind = ${kind} and used is null and expires > now() order by created desc limit 1`.execute(
    db,
  )
  return rows[0] ?? null
}

/**
 * Name of the invitation with which the person who knows the account's password signed up or asked to be confirmed, also after
 * the link of their sign-up has expired. Null for those of others who signed up with the address.
 */
export async function ownInvitation(db: Db, user: string): Promise<string | null> {
  const { rows } = await sql<{ invitation: string }>`select token.data->>'invitation' as invitation
    from easydash_token token left join easydash_credential known on known."user" = token."user"
    where token."user" = ${user} and token.kind = 'verify' and token.used is null and token.data->>'invitation' is not null
      and (token.data->'signUp' is null or token.data->'signUp'->>'password_hash' = known.password_hash)
    order by token.created desc limit 1`.execute(db)
  return rows[0]?.invitation ?? null
}

/** Deletes all unused tokens of a kind (of one user, or those without a user). */
export async function dropTokens(trx: Db, kind: TokenKind, user: string | null): Promise<void> {
  await sql`delete from easydash_token where kind = ${kind} and used is null and "user" is not distinct from ${user}`.execute(
    trx,
  )
}

/**
 * Call it once the owner of the account is settled: sign-up links then only prove the mailbox and no longer carry a password
 * or names, and links that would change the account's address are deleted.
 */
export async function stripPendingSignUps(trx: Db, user: string): Promise<void> {
  await sql`delete from easydash_token where kind = 'verify' and "user" = ${user} and data->>'email' is not null`.execute(
    trx,
  )
  await sql`update easydash_token set data = data - 'signUp' where kind = 'verify' and "user" = ${user}`.execute(trx)
}
