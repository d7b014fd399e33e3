import { sql } from 'kysely'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { data } from '#shared/fields.ts'
import { dueBackup } from '#shared/responses/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { isOpen } from './local-time.ts'
import { scheduleOf } from './schedule-of.ts'

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

/** States of a site that end, and after which its backup begins. */
export const passing: readonly Site['status'][] = ['Updating', 'Restoring']

/** Whether as many backups are being made on a server as can be. `limit` 0: there is no limit. */
export async function isFull(tx: Tx, server: string, limit: number): Promise<boolean> {
  if (limit === 0) return false
  const made = await tx.count(SiteBackupDoctype, [
    ['server', '=', server],
    ['status', 'in', ['Queued', 'Running']],
  ])
  return made >= limit
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

/** What the backup of a site that is due waits for; null if it begins with the next check. */
async function waitsFor(tx: Tx, site: Site, limit: number, now: number): Promise<'job' | 'hours' | 'server' | null> {
  if (passing.includes(site.status) || site.locked_by_job !== null) return 'job'
  const schedule = await scheduleOf(tx, site)
  if (schedule && !isOpen(schedule, now)) return 'hours'
  return (await isFull(tx, site.server, limit)) ? 'server' : null
}

const at = sql.raw(`to_char(due.since, 'YYYY-MM-DD HH24:MI:SS.US')`)

/** Tells what a site's scheduled backup waits for. */
export const dueBackupMethod = ({ clock = systemClock }: SitesDeps): Method =>
  defineMethod({
    name: 'easydash.api.backups.due',
    access: 'member',
    verbs: ['GET', 'POST'],
    tokens: 'sites:read',
    params: { site: data({ reqd: true }) },
    description: 'Since when the scheduled backup of a site is due and has not begun, and what it waits for.',
    returns: dueBackup,
    async run({ site: name }, { session, documents }) {
      // The gate decides who can read the site.
      await documents.get(session, 'Site', name)
      return documents.transaction(session, async (tx) => {
        const { rows } = await sql<{ since: string; limit: number }>`
          select ${at} as since, coalesce(shared.per_server, 0)::int as limit
          from easydash_due_backup due join tab_site site on site.name = due.site
          left join tab_backup_schedule shared on shared.organization = site.organization and shared.site is null
          where due.site = ${name}`.execute(tx.trx)
        const site = await tx.get(SiteDoctype, name)
        const [due] = rows
        if (!due || !site) return { since: null, waits_for: null, limit: 0 }
        return { ...due, waits_for: await waitsFor(tx, site, due.limit, clock.now()) }
      })
    },
  })
