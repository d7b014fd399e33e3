import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'

/** Creates the table of sites whose scheduled backup is due and has not begun, if it is missing. */
export async function dueBackupTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_due_backup (
    site text primary key references tab_site (name) on delete cascade,
    since timestamp(6) not null)`.execute(trx)
}

/** Records that sites are due. One that is due already stays so since then, and is backed up once. */
export async function recordDue(tx: Tx, sites: readonly string[], since: string): Promise<void> {
  await sql`insert into easydash_due_backup (site, since)
    select name, ${since}::timestamp from tab_site where name = any(${sites})
    on conflict (site) do nothing`.execute(tx.trx)
}

/** Ends it for a site. False if another process did. */
export async function endDue(tx: Tx, site: string): Promise<boolean> {
  const { rows } = await sql`delete from easydash_due_backup where site = ${site} returning site`.execute(tx.trx)
  return rows.length > 0
}

/** A site that is due. */
interface DueBackup {
  readonly site: string
  readonly server: string
  /** The schedule of the site, its own or that of its organization; null if it has none any more. */
  readonly schedule: string | null
  /** How many backups can be made on its server at the same time; 0: no limit. */
  readonly limit: number
}

/** Sites that are due, in the order in which they are to begin. */
export async function dueBackups(tx: Tx): Promise<DueBackup[]> {
  const { rows } = await sql<DueBackup>`
    select due.site, site.server, coalesce(own.name, shared.name) as schedule, coalesce(shared.per_server, 0)::int as limit
    from easydash_due_backup due
    join tab_site site on site.name = due.site
    left join tab_backup_schedule own on own.site = due.site
    left join tab_backup_schedule shared on shared.organization = site.organization and shared.site is null
    order by due.since, due.site`.execute(tx.trx)
  return rows
}
