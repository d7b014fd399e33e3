import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import { storedFacts, type WordPressFacts } from '#shared/responses/wordpress.ts'
import { storedPackageChecksums, type PackageChecksum } from '#shared/responses/package-checksums.ts'
import { storedChecksum, type ChecksumReport } from '#shared/responses/wordpress-checksum.ts'
import type * as z from 'zod/mini'

/**
 * Creates the table of what was last read of each site's WordPress, if it is missing (part of the additive migration, after
 * the document tables). Pages show it at once, with its age. `checksum_stale`: files were exchanged since the verification.
 */
export async function wordpressFactsTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_site_wordpress (
    site text primary key references tab_site (name) on delete cascade,
    facts jsonb,
    facts_at timestamp(6),
    checksum jsonb,
    checksum_at timestamp(6),
    checksum_stale boolean not null default false,
    packages jsonb,
    health_at timestamp(6))`.execute(trx)
}

/** What was last read, as `WordPressFacts` in the API. */
export async function readFacts(tx: Tx, site: string): Promise<z.infer<typeof storedFacts>> {
  const { rows } = await sql<{ facts: unknown; measured_at: string | null }>`
    select facts, to_char(facts_at, 'YYYY-MM-DD HH24:MI:SS.US') as measured_at
    from easydash_site_wordpress where site = ${site}`.execute(tx.trx)
  return storedFacts.safeParse(rows[0]).data ?? { facts: null, measured_at: null }
}

/** Stores what was read at this time. The site must exist. */
export async function writeFacts(tx: Tx, site: string, facts: WordPressFacts, at: string): Promise<void> {
  await sql`insert into easydash_site_wordpress (site, facts, facts_at)
    values (${site}, ${JSON.stringify(facts)}::jsonb, ${at}::timestamp)
    on conflict (site) do update set facts = excluded.facts, facts_at = excluded.facts_at`.execute(tx.trx)
}

/** The last verification, as `ChecksumReport` in the API. */
export async function readChecksum(tx: Tx, site: string): Promise<z.infer<typeof storedChecksum>> {
  const { rows } = await sql<{ report: unknown; measured_at: string | null }>`
    select checksum as report, to_char(checksum_at, 'YYYY-MM-DD HH24:MI:SS.US') as measured_at
    from easydash_site_wordpress where site = ${site}`.execute(tx.trx)
  return storedChecksum.safeParse(rows[0]).data ?? { report: null, measured_at: null }
}

/** The last verification of plugins and themes, as `PackageChecksums` in the API. */
export async function readPackageChecksums(tx: Tx, site: string): Promise<z.infer<typeof storedPackageChecksums>> {
  const { rows } = await sql<{ packages: unknown; measured_at: string | null }>`
    select packages, to_char(checksum_at, 'YYYY-MM-DD HH24:MI:SS.US') as measured_at
    from easydash_site_wordpress where site = ${site}`.execute(tx.trx)
  return storedPackageChecksums.safeParse(rows[0]).data ?? { packages: null, measured_at: null }
}

/** What a verification found. */
export interface Verification {
  readonly report: ChecksumReport
  readonly packages: readonly PackageChecksum[]
}

/** Stores a verification made at this time. The site must exist. */
export async function writeChecksum(
  tx: Tx,
  site: string,
  { report, packages }: Verification,
  at: string,
): Promise<void> {
  await sql`insert into easydash_site_wordpress (site, checksum, packages, checksum_at)
    values (${site}, ${JSON.stringify(report)}::jsonb, ${JSON.stringify(packages)}::jsonb, ${at}::timestamp)
    on conflict (site) do update set checksum = excluded.checksum, packages = excluded.packages,
      checksum_at = excluded.checksum_at, checksum_stale = false`.execute(tx.trx)
}

/** Files were exchanged: the next round verifies the site, however new its last verification is. */
export async function markChecksumStale(tx: Tx, site: string): Promise<void> {
  await sql`update easydash_site_wordpress set checksum_stale = true where site = ${site}`.execute(tx.trx)
}

/** Stores that a site's health was checked at this time. The site must exist. */
export async function writeHealthTime(tx: Tx, site: string, at: string): Promise<void> {
  await sql`insert into easydash_site_wordpress (site, health_at) values (${site}, ${at}::timestamp)
    on conflict (site) do update set health_at = excluded.health_at`.execute(tx.trx)
}

/** Those of the sites whose files were verified (and not exchanged), or whose health was checked, since this time. */
export async function doneSince(
  tx: Tx,
  what: 'checksum_at' | 'health_at',
  sites: readonly string[],
  since: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ site: string }>`select site from easydash_site_wordpress
    where site = any(${[...sites]}) and ${sql.id(what)} >= ${since}::timestamp
      and not (${what} = 'checksum_at' and checksum_stale)`.execute(tx.trx)
  return new Set(rows.map(({ site }) => site))
}
