import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import { stagedPackage, type StagedPackage } from '#shared/responses/wordpress-packages.ts'

/** Creates the table of uploaded plugins and themes that sites keep for a day, if it is missing. */
export async function stagedPackageTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_site_package (
    id text primary key,
    site text not null references tab_site (name) on delete cascade,
    about jsonb not null,
    creation timestamp(6) not null)`.execute(trx)
  await sql`create index if not exists easydash_site_package_site on easydash_site_package (site)`.execute(trx)
}

/** Records what the engine said a file contains. Forgets those of the site that are older than a day. */
export async function writeStaged(
  tx: Tx,
  { id, site, about, at }: { id: string; site: string; about: StagedPackage; at: string },
): Promise<void> {
  await sql`delete from easydash_site_package
    where site = ${site} and creation < ${at}::timestamp - interval '1 day'`.execute(tx.trx)
  await sql`insert into easydash_site_package (id, site, about, creation)
    values (${id}, ${site}, ${JSON.stringify(about)}::jsonb, ${at}::timestamp)
    on conflict (id) do update set about = excluded.about, creation = excluded.creation`.execute(tx.trx)
}

/** What was uploaded to this site under this id; null if it is forgotten. */
export async function readStaged(tx: Tx, site: string, id: string): Promise<StagedPackage | null> {
  const { rows } = await sql<{ about: unknown }>`select about from easydash_site_package
    where id = ${id} and site = ${site}`.execute(tx.trx)
  return stagedPackage.safeParse(rows[0]?.about).data ?? null
}

/** Forgets it. */
export async function deleteStaged(tx: Tx, site: string, id: string): Promise<void> {
  await sql`delete from easydash_site_package where id = ${id} and site = ${site}`.execute(tx.trx)
}
