import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { AccountSessions } from '../sessions/sessions.ts'

/** That an account logs in to one organization by an identity at its provider. */
export interface ProviderLink {
  readonly id: string
  readonly user: string
}

/** Whose identity at a provider. The subject is never reassigned there, unlike an email address. */
export interface LinkedIdentity {
  readonly organization: string
  readonly issuer: string
  readonly subject: string
}

/** The link of an identity; null if there is none yet. */
export async function linkOf(db: Db, { organization, issuer, subject }: LinkedIdentity): Promise<ProviderLink | null> {
  const { rows } = await sql<ProviderLink>`select id, "user" from easydash_provider_link
    where organization = ${organization} and issuer = ${issuer} and subject = ${subject}`.execute(db)
  return rows[0] ?? null
}

/** Links an identity to an account; null if the account is linked to another one, or the identity to another account. */
export async function addLink(trx: Db, identity: LinkedIdentity, user: string): Promise<ProviderLink | null> {
  const { organization, issuer, subject } = identity
  const { rows } =
    await sql<ProviderLink>`insert into easydash_provider_link (id, organization, issuer, subject, "user")
    values (${randomUUID()}, ${organization}, ${issuer}, ${subject}, ${user})
    on conflict do nothing returning id, "user"`.execute(trx)
  return rows[0] ?? null
}

/** Notes that a link was used. */
export async function touchLink(trx: Db, id: string): Promise<void> {
  await sql`update easydash_provider_link set last_used = now() where id = ${id}`.execute(trx)
}

/** A member who logs in through the provider. Times are UTC. */
export interface ListedLink {
  readonly user: string
  readonly linked: string
  readonly last_used: string | null
}

/** The links of an organization, in the order of the members' addresses. */
export async function listLinks(db: Db, organization: string): Promise<ListedLink[]> {
  const { rows } = await sql<{ user: string; linked_ms: number; used_ms: number | null }>`select "user",
      (extract(epoch from created) * 1000)::float8 as linked_ms, (extract(epoch from last_used) * 1000)::float8 as used_ms
    from easydash_provider_link where organization = ${organization} order by "user"`.execute(db)
  return rows.map(({ user, linked_ms, used_ms }) => ({
    user,
    linked: formatTimestamp(linked_ms),
    last_used: used_ms === null ? null : formatTimestamp(used_ms),
  }))
}

/**
 * Removes the links of an organization, or the one of a member, with the sessions that were started by them and what is under
 * way. Returns how many links there were.
 */
export async function removeLinks(
  sessions: Pick<AccountSessions, 'endByLinks'>,
  tx: Tx,
  { organization, user = null }: { organization: string; user?: string | null },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`delete from easydash_provider_link
    where organization = ${organization} and (${user}::text is null or "user" = ${user}) returning id`.execute(tx.trx)
  if (user === null)
    await sql`delete from easydash_provider_attempt where organization = ${organization}`.execute(tx.trx)
  const ids = rows.map(({ id }) => id)
  await sql`delete from easydash_login_step where provider_link = any(${ids}::text[])`.execute(tx.trx)
  await sessions.endByLinks(tx, ids)
  return ids.length
}

/** The links of a user in other organizations than this one. */
export async function linksElsewhere(db: Db, user: string, organization: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from easydash_provider_link
    where "user" = ${user} and organization <> ${organization}`.execute(db)
  return rows.map(({ id }) => id)
}
