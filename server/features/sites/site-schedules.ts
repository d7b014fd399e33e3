import type { ScheduledWork, WorkOnHosts } from '#server/contracts/schedule.ts'
import type { EngineFacets } from '#server/engines/engine.ts'
import { hostsWith, type EngineHost } from '#server/engines/hosts.ts'
import { siteCheckSeconds } from '#shared/rules/site-check.ts'
import { backupSchedules } from './backups/backup-schedules.ts'
import { expireConsoleRuns } from './database/expire-runs.ts'
import { startDue } from './deployments/due-deployments.ts'
import type { SitesDeps } from './deps.ts'
import { measureDaily, measureFound } from './measure-sites.ts'
import { checkSites, type QuietSites } from './monitoring/check-sites.ts'
import { expirePortable } from './portable/expire-portable.ts'
import { applyQuotas } from './quotas.ts'
import { expireArchives, reconcile } from './reconcile.ts'
import type { ThumbnailWorker } from './thumbnail-worker.ts'
import { lookAtRunning } from './wordpress-health/look.ts'
import { checkWordPressUsers } from './wordpress-users/check-users.ts'
import type { TriedSites } from './wordpress/each-asleep.ts'
import { verifyAsleep, verifyRunning } from './wordpress/verify-checksums.ts'

const minutely = { everySeconds: 60, atStart: true } as const
const hourly = { everySeconds: 3600 } as const

/** Repeated work on sites: most of it for each machine, some for all at once. */
export function siteSchedules(
  deps: SitesDeps,
  thumbnailsOf: (host: EngineHost<'thumbnail'>) => ThumbnailWorker,
): readonly (ScheduledWork | WorkOnHosts)[] {
  /** Work on the machines whose engines have these facets. */
  const onHosts = <F extends keyof EngineFacets>(
    work: Omit<WorkOnHosts, 'hosts'>,
    facets: readonly F[],
    run: (host: EngineHost<F>) => Promise<unknown>,
  ): WorkOnHosts => ({
    ...work,
    hosts: async () => {
      const hosts = hostsWith(await deps.hosts(), ...facets)
      return new Map(hosts.map((host) => [host.name, async () => void (await run(host))]))
    },
  })
  const quiet: QuietSites = new Map()
  const tried: TriedSites = new Map()
  const triedFound: TriedSites = new Map()
  const triedDaily: TriedSites = new Map()
  const verified = ['host', 'wordpress', 'originals'] as const
  return [
    onHosts({ name: 'sites.reconcile', ...minutely }, ['host'], (host) => reconcile(deps, host)),
    onHosts({ name: 'sites.found', ...minutely }, ['host'], (host) => measureFound(deps, host, triedFound)),
    // More often than each site is due: a round measures only as many as fit into it.
    onHosts({ name: 'sites.daily', everySeconds: 600 }, ['host'], (host) => measureDaily(deps, host, triedDaily)),
    onHosts({ name: 'sites.check', everySeconds: siteCheckSeconds }, ['host'], (host) => checkSites(deps, host, quiet)),
    onHosts({ name: 'sites.checksums', ...hourly }, verified, (host) => verifyRunning(deps, host)),
    onHosts({ name: 'sites.checksums_asleep', everySeconds: 60 }, verified, (host) => verifyAsleep(deps, host, tried)),
    onHosts({ name: 'sites.wordpress_health', ...hourly }, ['host', 'health'], (host) => lookAtRunning(deps, host)),
    onHosts({ name: 'sites.quotas', ...minutely }, ['quotas'], (host) => applyQuotas(deps, host)),
    // Not awaited: a screenshot takes seconds, which would delay a shutdown.
    onHosts({ name: 'sites.pictures', ...minutely }, ['thumbnail'], async (host) => {
      void thumbnailsOf(host).catchUp()
    }),
    onHosts({ name: 'sites.exports', ...hourly }, [], (host) => expirePortable(deps, host)),
    onHosts({ name: 'sites.files', ...hourly }, ['host'], async ({ engine, server }) =>
      engine.host.sweepKept?.(server),
    ),
    backupSchedules(deps),
    // Those that were pushed while a job held the site.
    { name: 'sites.deployments', everySeconds: 10, run: () => startDue(deps) },
    // Also those that a job held while rights ended.
    { name: 'sites.wordpress_users', ...minutely, everySeconds: 10, run: () => checkWordPressUsers(deps) },
    { name: 'sites.expire_archives', ...hourly, run: () => expireArchives(deps) },
    { name: 'sites.expire_console_runs', ...hourly, run: () => expireConsoleRuns(deps) },
  ]
}
