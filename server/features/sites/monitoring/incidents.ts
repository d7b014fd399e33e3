import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { msg, plural, serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import { siteReference } from '#shared/rules/display-name.ts'

/** Entries of the activity log that change nothing about how a site works. */
export const noChange = [
  'Site.login_link',
  'site.login_as',
  'Site.reveal',
  'Site.take_picture',
  'Site.share',
  'Site.unshare',
  'Site.set_owner',
  'Site.set_uptime_keyword',
  'Site.create_preview_link',
  'Site.end_preview_link',
  'Site.clear_log',
  'Site.delete_mail',
  'Site.clear_mails',
  'Site.verify_checksum',
  'Site.stage_package',
  'Site.discard_package',
  'Site.download_files',
  'Site.zip_files',
  'Site.empty_trash',
  'Site.export_site',
  'Site.download_export',
  'Site.delete_export',
  'Site.close_import_report',
  // Of what they are copied from and compared with.
  'Site.clone',
  'Site.create_staging',
  'Site.plan_push',
  // What is noticed about it.
  'Site.went_down',
  'Site.came_up',
  'Site.files_changed',
  'Site.backup_failed',
  'Site.backup_unproven',
]

/** Starts an incident of a site that is down, unless one goes on, with the last change before it. */
export async function openIncident(tx: Tx, doc: IncidentSite, at: string, reason: LocalizedMessage): Promise<void> {
  const site = doc.name
  const { rows } = await sql`select 1 from easydash_site_incident
    where site = ${site} and ended is null`.execute(tx.trx)
  if (rows.length > 0) return
  const [change] = await tx.listFields(
    ActivityDoctype,
    ['name'],
    [
      ['reference_doctype', '=', 'Site'],
      ['reference_name', '=', site],
      ['creation', '<=', at],
      ['action', 'not in', noChange],
      ['result', '!=', 'Denied'],
    ],
    { order_by: 'creation desc', limit: 1 },
  )
  const stored = serializeMessage('reason', reason)
  const opened = await sql`insert into easydash_site_incident (site, started, reason, reason_i18n, change)
    values (${site}, ${at}::timestamp, ${stored.reason}, ${JSON.stringify(stored.reason_i18n)}::jsonb,
      ${change?.name ?? null})
    on conflict do nothing returning 1`.execute(tx.trx)
  if (opened.rows.length > 0)
    await tx.activity({ action: 'Site.went_down', result: 'Failed', detail: reason, ...siteReference(doc) })
}

/** What an incident needs to know of a site. */
type IncidentSite = Pick<Site, 'name' | 'organization' | 'domain' | 'title'>

/** Ends the incidents of sites that work, or that are down on purpose. */
export async function closeIncidents(tx: Tx, sites: readonly string[], at: string): Promise<void> {
  if (sites.length === 0) return
  const { rows: ended } = await sql<{ site: string; minutes: number }>`update easydash_site_incident
    set ended = greatest(started, ${at}::timestamp)
    where site = any(${[...sites]}) and ended is null
    returning site, ceil(extract(epoch from ended - started) / 60)::int as minutes`.execute(tx.trx)
  if (ended.length === 0) return
  const docs = await tx.listFields(
    SiteDoctype,
    ['name', 'organization', 'domain', 'title', 'status', 'maintenance'],
    [['name', 'in', ended.map(({ site }) => site)]],
  )
  for (const doc of docs) {
    // Of one that was suspended nobody knows whether it would answer.
    if (doc.status !== 'Live' || doc.maintenance === 1) continue
    const minutes = ended.find(({ site }) => site === doc.name)?.minutes ?? 0
    const detail = plural(minutes, msg`after ${minutes} minute`, msg`after ${minutes} minutes`)
    await tx.activity({ action: 'Site.came_up', detail, ...siteReference(doc) })
  }
}
