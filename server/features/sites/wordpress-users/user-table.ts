import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'

/**
 * Creates the table of WordPress users if it is missing (part of the additive migration, after the document tables). A row is
 * written before the link that creates the user, and stays after the user is removed: an earlier state of the site can have it again.
 * `person` follows a changed address, and is null once the account is deleted.
 */
export async function wordpressUserTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_wordpress_user (
    key text primary key,
    site text not null references tab_site (name) on delete cascade,
    person text references tab_user (name) on update cascade on delete set null,
    check_at timestamp(6),
    unique (site, person))`.execute(trx)
  await sql`alter table easydash_wordpress_user
    add column if not exists paused boolean not null default false,
    add column if not exists gone boolean not null default false`.execute(trx)
  await sql`create index if not exists easydash_wordpress_user_person on easydash_wordpress_user (person)`.execute(trx)
  await sql`create index if not exists easydash_wordpress_user_check on easydash_wordpress_user (check_at)
    where check_at is not null`.execute(trx)
}

/** A person's user on a site. */
export interface WordPressUserRow {
  /** Identifies the person on this site; the site knows it. */
  readonly key: string
  /** Address of the account; null if it was deleted. */
  readonly person: string | null
}

/** The same as it is stored. */
export interface StoredUserRow extends WordPressUserRow {
  /** The site confirmed that the user has no role and no sessions for now. */
  readonly paused: boolean
}

/**
 * Records that a person has, or is about to get, a user on a site. Their rights are checked again at `checkAt`. A new row
 * gets `key`. Returns the row's key.
 */
export async function recordWordPressUser(
  tx: Tx,
  site: string,
  user: WordPressUserRow,
  checkAt: string,
): Promise<string> {
  const { rows } = await sql<{ key: string }>`
    insert into easydash_wordpress_user (key, site, person, check_at)
    values (${user.key}, ${site}, ${user.person}, ${checkAt})
    on conflict (site, person) do update set check_at = excluded.check_at, gone = false
    returning key`.execute(tx.trx)
  return rows[0]?.key ?? user.key
}

/** Requests a check of the rights of a person on all sites, now. Part of the transaction that changes their rights. */
export async function requestUserChecks(tx: Tx, person: string, now: string): Promise<void> {
  await sql`update easydash_wordpress_user set check_at = ${now} where person = ${person} and not gone`.execute(tx.trx)
}

/** The same for everybody with a user on a site of an organization. */
export async function requestOrganizationChecks(tx: Tx, organization: string, now: string): Promise<void> {
  await sql`update easydash_wordpress_user set check_at = ${now}
    where site in (select name from tab_site where organization = ${organization}) and not gone`.execute(tx.trx)
}

/**
 * Sites whose users can and must be checked now: those whose WordPress answers, without a job. At most 100; with `only`, that one or none.
 */
export async function sitesToCheck(tx: Tx, now: string, only: string | null = null): Promise<string[]> {
  // An array instead of `exists`: the few rows that are due are looked up first, also while archived sites keep some.
  const { rows } = await sql<{ name: string }>`
    select site.name from tab_site site
    where site.status in ('Live', 'Failed') and site.locked_by_job is null
      and (${only}::text is null or site.name = ${only})
      and site.name = any(array(select known.site from easydash_wordpress_user known where known.check_at <= ${now}))
    order by site.name limit 100`.execute(tx.trx)
  return rows.map(({ name }) => name)
}

/** The users of a site that it has, or may have; locked. */
export async function wordpressUsersOf(tx: Tx, site: string): Promise<StoredUserRow[]> {
  const { rows } = await sql<StoredUserRow>`select key, person, paused from easydash_wordpress_user
    where site = ${site} and not gone order by key for update`.execute(tx.trx)
  return rows
}

/** Schedules the next check of a site's users; null: when rights change. */
export async function scheduleUserChecks(tx: Tx, site: string, checkAt: string | null): Promise<void> {
  await sql`update easydash_wordpress_user set check_at = ${checkAt} where site = ${site}`.execute(tx.trx)
}

/** Records users that were removed from a site, as far as the site confirmed it. */
export async function recordGoneUsers(tx: Tx, site: string, keys: readonly string[]): Promise<void> {
  await sql`update easydash_wordpress_user set gone = true where site = ${site} and key = any(${[...keys]})`.execute(
    tx.trx,
  )
}

/** After a site got an earlier state: whoever was removed from it since may be there again, and is looked for now. */
export async function expectGoneUsers(tx: Tx, site: string, now: string): Promise<void> {
  await sql`update easydash_wordpress_user set gone = false, check_at = ${now} where site = ${site} and gone`.execute(
    tx.trx,
  )
}

/** Records which users of a site are paused, as far as the site confirmed it; all others are not. */
export async function recordPausedUsers(tx: Tx, site: string, keys: readonly string[]): Promise<void> {
  await sql`update easydash_wordpress_user set paused = (key = any(${[...keys]})) where site = ${site}`.execute(tx.trx)
}
