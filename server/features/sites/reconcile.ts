import { firstWaiting } from '#server/jobs/waiting-jobs.ts'
import { msg } from '#shared/localized-message.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { endedJobStatuses } from '#shared/rules/job-statuses.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import type { SitesDeps } from './deps.ts'
import { enqueueFor } from './enqueue-site.ts'
import { anyPhpVersion, siteRef } from './engine-of.ts'
import { endLeftChange } from './domains/left-changes.ts'
import { mirrorDomains } from './domains/mirror-domains.ts'
import { checkAwake } from './health.ts'
import { hostedSites, stateFinder, type KnownSite, type SeenState } from './hosted-sites.ts'
import { writeSite } from './job-parts.ts'
import { mirrorSettings } from './settings/mirror-settings.ts'
import { markAsleep, markDown } from './site-health.ts'

const unfinished: readonly Site['status'][] = ['Setting Up', 'Updating', 'Restoring', 'Archiving']

/**
 * Makes documents and engine state consistent after crashes: removes sites without a document, fails sites whose job no
 * longer exists, and marks sites as down or asleep.
 */
export async function reconcile(deps: SitesDeps, host: EngineHost<'host'>): Promise<void> {
  // One question for all sites of a machine: most of them may be far away.
  const hosted = await hostedSites(deps, host)
  await removeOrphans(deps, host, hosted)
  const stateOf = stateFinder(hosted, host)
  for (const site of await rowsOf(deps, host)) {
    try {
      await releaseEndedJob(deps, site)
      if (host.engine.reach === 'network') {
        await checkListed(deps, site, stateOf(site))
        if (site.status === 'Failed') await endLeftChange(deps, site)
      } else {
        await checkPresence(deps, host, site)
        await mirrorSettings(deps, host, site)
        await mirrorDomains(deps, host, site)
      }
    } catch (error) {
      deps.log.warn('A site could not be reconciled', { site: site.name, error })
    }
  }
}

function rowsOf(deps: SitesDeps, { name }: EngineHost): Promise<Site[]> {
  return deps
    .documents()
    .transaction(systemSession('schedule'), (tx) => tx.list(SiteDoctype, [['engine_host', '=', name]]))
}

async function removeOrphans(deps: SitesDeps, host: EngineHost<'host'>, hosted: readonly KnownSite[]): Promise<void> {
  const { engine, server } = host
  const known = new Set((await rowsOf(deps, host)).map((site) => site.name))
  for (const { id, domain, isRenamed } of hosted) {
    if (known.has(id) || isRenamed) continue
    // Checked again one by one: the site may have been created since the list was read.
    const [site, backup, jobs] = await deps
      .documents()
      .transaction(
        systemSession('schedule'),
        async (tx) =>
          [
            await tx.get(SiteDoctype, id),
            await tx.get(SiteBackupDoctype, id),
            await tx.list(JobDoctype, [['reference_name', '=', id]]),
          ] as const,
      )
    // A restore makes a site that is named like the backup, whose earlier proof has such a job, too.
    if (site || backup?.status === 'Restoring') continue
    if (jobs.some((job) => !endedJobStatuses.includes(job.status ?? ''))) continue
    if (jobs.length === 0) {
      // No record of it here: it may belong to another database and be in use.
      deps.log.warn('The engine holds a site this database does not know; it is left alone', { id, domain })
      continue
    }
    deps.log.info('Removing what is left of a site without a document', { id, domain })
    await engine.destroy({ id, domain, siteType: 'wp', phpVersion: anyPhpVersion, server })
  }
}

/** Releases the lock of a job that has ended or never existed. */
async function releaseEndedJob(deps: SitesDeps, site: Site): Promise<void> {
  if (site.locked_by_job === null && !unfinished.includes(site.status)) return
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const job = site.locked_by_job ? await tx.get(JobDoctype, site.locked_by_job, { lock: true }) : null
    if (job && !endedJobStatuses.includes(job.status ?? '')) return
    const now = await tx.get(SiteDoctype, site.name, { lock: true })
    if (!now || now.locked_by_job !== site.locked_by_job || now.status !== site.status) return
    await writeSite(tx, site.name, {
      locked_by_job: null,
      ...(unfinished.includes(now.status)
        ? {
            status: 'Failed' as const,
            failure: msg`The work on this site was interrupted. Retry its last job, or delete the site.`,
          }
        : {}),
    })
  })
}

/** Marks a live site as down if its server no longer has it, or does not serve it. */
async function checkListed(deps: SitesDeps, site: Site, state: SeenState): Promise<void> {
  if (site.status !== 'Live' || site.locked_by_job !== null || state === 'running') return
  // It may have been made, or changed by a job, after the server was asked.
  const now = await deps.documents().transaction(systemSession('schedule'), (tx) => tx.get(SiteDoctype, site.name))
  if (now?.status !== 'Live' || now.modified !== site.modified) return
  const reason =
    state === undefined
      ? msg`The site is not on its server any more. Somebody may have deleted it there.`
      : typeof state === 'object'
        ? msg`Somebody gave the site another domain on its server: ${state.renamedTo}. Give it back its own there, or delete the site here.`
        : msg`Somebody stopped the site on its server. Suspend and resume it to start it again.`
  await markDown(deps, site, reason)
}

async function checkPresence(deps: SitesDeps, host: EngineHost, site: Site): Promise<void> {
  if (site.status !== 'Live') return
  const seen = await host.engine.observe(siteRef(site, host.server), { measure: false })
  if (seen.state === 'crashed') await markDown(deps, site, seen.reason ?? msg`The site stopped again and again.`)
  else if (seen.state === 'absent' || seen.state === 'partial')
    await markDown(deps, site, msg`Files of the site are missing.`)
  // Events that were missed: it slept while Easydash was not running, or woke during a job.
  else if (seen.state === 'asleep' && site.health !== 'Asleep') await markAsleep(deps, site.name)
  else if (seen.state === 'running' && site.health === 'Asleep')
    await checkAwake(deps, host, site.name, { justWoke: true })
}

/** Days a site stays in the archive. */
export const archiveDays = 30

/** Starts the deletion of sites whose retention in the archive has expired. */
export async function expireArchives(deps: SitesDeps): Promise<void> {
  const before = formatTimestamp((deps.clock ?? systemClock).now() - archiveDays * 86_400_000)
  const due = await deps.documents().transaction(systemSession('schedule'), (tx) =>
    tx.list(SiteDoctype, [
      ['status', '=', 'Archived'],
      ['archived_at', '<', before],
    ]),
  )
  for (const { name } of due) {
    try {
      await deps.documents().transaction(systemSession('schedule'), async (tx) => {
        const site = await tx.get(SiteDoctype, name, { lock: true })
        if (site?.status !== 'Archived' || site.locked_by_job !== null) return
        // It may be on its way out of the archive.
        if ((await firstWaiting(tx, { doctype: 'Site', name })) === null)
          await enqueueFor(deps, tx, site, 'site.delete')
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      deps.log.warn('The deletion of an old archive could not be started', { site: name, error })
    }
  }
}
