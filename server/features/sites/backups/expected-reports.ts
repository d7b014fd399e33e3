import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'

/** Creates the table of backups that EasyEngine was given a key for and has not reported yet, if it is missing. */
export async function expectedReportTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_expected_report (
    backup text primary key,
    site text not null references tab_site (name) on delete cascade,
    asked timestamp(6) not null)`.execute(trx)
}

/** A backup that EasyEngine is to report. Times as `YYYY-MM-DD HH:MM:SS.ffffff`, UTC. */
interface ExpectedReport {
  /** What EasyEngine calls it. */
  readonly backup: string
  readonly site: string
  /** When the key was given. */
  readonly asked: string
}

export async function expectReport(tx: Tx, { backup, site, asked }: ExpectedReport): Promise<void> {
  await sql`insert into easydash_expected_report (backup, site, asked)
    values (${backup}, ${site}, ${asked}::timestamp)`.execute(tx.trx)
}

/** Who got a later key for the site did not use the earlier ones, so nothing is expected of those either. */
export async function reportArrived(tx: Tx, backup: string): Promise<void> {
  await sql`delete from easydash_expected_report earlier using easydash_expected_report arrived
    where arrived.backup = ${backup} and earlier.site = arrived.site and earlier.asked <= arrived.asked`.execute(tx.trx)
}

/** A few of those whose keys were given before a time, the oldest first. */
export async function silentReports(tx: Tx, before: string): Promise<ExpectedReport[]> {
  const { rows } = await sql<ExpectedReport>`
    select backup, site, to_char(asked, 'YYYY-MM-DD HH24:MI:SS.US') as asked from easydash_expected_report
    where asked < ${before}::timestamp order by asked limit 100`.execute(tx.trx)
  return rows
}
