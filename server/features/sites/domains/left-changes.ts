import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { firstWaiting } from '#server/jobs/waiting-jobs.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { domainsOfSite } from './domain-table.ts'

/** Milliseconds until a change is taken back again that could not be. */
const againMs = 1_800_000

/**
 * Takes back the change of the primary domain of a site whose server was away for so long that its job gave up: until then, visitors get
 * the maintenance page. The server answers by now.
 */
export async function endLeftChange({ clock = systemClock, ...deps }: SitesDeps, { name }: Site): Promise<void> {
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const site = await tx.get(SiteDoctype, name, { lock: true })
    if (site?.status !== 'Failed' || site.locked_by_job !== null) return
    // The name is kept for the site until the change is finished or taken back.
    if ((await domainsOfSite(tx, name)).every(({ mode }) => mode !== 'pending')) return
    if (await firstWaiting(tx, { doctype: SiteDoctype.name, name })) return
    const [last] = await tx.list(
      JobDoctype,
      [
        ['reference_name', '=', name],
        ['job_type', 'in', ['site.change_domain', 'site.end_domain_change']],
      ],
      { order_by: 'creation desc', limit: 1 },
    )
    if (last?.status !== 'Failed') return
    const isTried = last.job_type === 'site.end_domain_change'
    if (isTried && (last.ended ?? '') > formatTimestamp(clock.now() - againMs)) return
    await enqueueFor({ clock, ...deps }, tx, site, 'site.end_domain_change', last.args ?? {})
  })
}
