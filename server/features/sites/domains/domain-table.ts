import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { aliasModes, type AliasMode } from '#shared/rules/site-aliases.ts'

/** A further name of a site. `pending`: it is about to become the primary domain. */
export interface DomainRow {
  readonly domain: string
  readonly site: string
  readonly mode: AliasMode | 'pending'
  /** Since when the site has it, by which its names are ordered; absent: from now on. */
  readonly added?: string
}

/**
 * Creates the table of further names, if it is missing (part of the additive migration, after the document tables). A name
 * belongs to one site of the installation, whichever organization or machine has it.
 */
export async function siteDomainTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_site_domain (
    domain text primary key,
    site text not null references tab_site (name) on delete cascade,
    mode text not null,
    added timestamp(6) not null default (clock_timestamp() at time zone 'utc'))`.execute(trx)
  await sql`create index if not exists easydash_site_domain_site on easydash_site_domain (site)`.execute(trx)
}

/** Serializes everything that gives a name to a site, in the whole installation, until the end of the transaction. */
export async function lockNames(tx: Tx): Promise<void> {
  await transactionLock(tx, 'site-names')
}

/** The site that has a name as one of its further names; null: none. */
export async function domainHolder(tx: Tx, domain: string): Promise<Required<DomainRow> | null> {
  const { rows } = await sql<Required<DomainRow>>`select domain, site, mode, added::text from easydash_site_domain
    where domain = ${domain}`.execute(tx.trx)
  return rows[0] ?? null
}

/** The further names of a site, oldest first. */
export async function domainsOfSite(tx: Tx, site: string): Promise<DomainRow[]> {
  const { rows } = await sql<DomainRow>`select domain, site, mode, added::text from easydash_site_domain
    where site = ${site} order by added, domain`.execute(tx.trx)
  return rows
}

/** The aliases among the further names of a site. */
export async function aliasesOfSite(tx: Tx, site: string): Promise<{ domain: string; mode: AliasMode }[]> {
  const rows = await domainsOfSite(tx, site)
  return rows.flatMap(({ domain, mode }) => (isOneOf(aliasModes, mode) ? [{ domain, mode }] : []))
}

/** Gives a free name to a site, or changes what it is for. Takes it from no other site. */
export async function writeDomain(tx: Tx, { domain, site, mode, added }: DomainRow): Promise<void> {
  await sql`insert into easydash_site_domain (domain, site, mode, added)
    values (${domain}, ${site}, ${mode}, coalesce(${added ?? null}::timestamp, clock_timestamp() at time zone 'utc'))
    on conflict (domain) do update set mode = excluded.mode where easydash_site_domain.site = ${site}`.execute(tx.trx)
}

/** Takes a name from a site. Does nothing if it doesn't have it. */
export async function removeDomain(tx: Tx, site: string, domain: string): Promise<void> {
  await sql`delete from easydash_site_domain where domain = ${domain} and site = ${site}`.execute(tx.trx)
}

/** Releases names that were to become the primary domain of a site. */
export async function releasePending(tx: Tx, site: string): Promise<void> {
  await sql`delete from easydash_site_domain where site = ${site} and mode = 'pending'`.execute(tx.trx)
}
