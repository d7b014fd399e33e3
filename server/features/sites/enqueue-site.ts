import type { Tx } from '#server/contracts/transaction.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import type { CapabilityName } from '#server/engines/engine.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { siteReference } from '#shared/rules/display-name.ts'
import { archiveMachine } from './archive-machine.ts'
import { scheduleOf } from './backups/schedule-of.ts'
import type { SitesDeps } from './deps.ts'
import { findEngine, requireCapability, siteRef, serverOf } from './engine-of.ts'
import type { BackedUpArgs, SiteJobArgs } from './job-parts.ts'
import type { PackageType } from '#server/engines/wordpress-packages.ts'
import type { ChangeJobKind, changeJobs, updateJobs } from './wordpress/site-change.ts'

/** Jobs of a site, and the capability that each needs; null: what it needs was asked for already, or it needs none. */
const jobs = {
  'site.create': null,
  'site.clone': null,
  'site.delete': null,
  'site.sync_users': null,
  'site.export_site': 'export',
  // What is uploaded needs `import`, what is made of a backup does not: both were asked for before the site was inserted.
  'site.import': null,
  'site.backup': 'backup',
  'site.restore_backup': 'restore',
  'site.restore_imported': 'restore',
  'site.undo_restore': 'restore',
  'site.archive': 'archive',
  'site.restore_archive': 'archive',
  'site.set_php_version': 'php_version',
  'site.restart': 'restart',
  'site.reload': 'containers',
  'site.rebuild': 'containers',
  'site.set_ssl': 'tls',
  'site.set_certificate': 'tls',
  'site.set_limits': 'php_limits',
  'site.start_debug': 'debug_mode',
  'site.stop_debug': 'debug_mode',
  'site.set_protection': 'protections',
  'site.suspend': 'suspend',
  'site.resume': 'suspend',
  'site.verify_checksum': 'checksums',
  'site.flush_cache': 'wordpress',
  'site.change_core': 'core_version',
  'site.deploy': 'files',
  'site.unzip_file': 'files',
  'site.zip_files': 'files',
  'site.change_domain': 'domain_change',
  'site.end_domain_change': null,
  'site.convert_to_network': 'multisite',
  'site.plan_push': 'staging',
  'site.push': 'staging',
  'site.roll_back_push': 'staging',
  'site.move_to_mysql': 'mysql',
  'site.move_to_sqlite': 'mysql',
} as const satisfies Record<string, CapabilityName | null>

/** Jobs that work with the archives of backups, which are on the machine of this installation. */
const withArchives: ReadonlySet<string> = new Set([
  'site.backup',
  'site.archive',
  'site.restore_backup',
  'site.restore_imported',
  'site.import',
] satisfies (keyof typeof jobs)[])

/** Jobs that change more than they can take back once visitors have been there: a schedule has the site backed up before them. */
export const riskyJobs: ReadonlySet<string> = new Set([
  'site.change_core',
  'site.update_plugin',
  'site.update_theme',
  'site.update_plugins',
  'site.update_themes',
  'site.change_domain',
  'site.convert_to_network',
  'site.move_to_mysql',
  'site.move_to_sqlite',
  'site.push',
] satisfies SiteJob[])

/** Job types of a site. */
export type SiteJob = keyof typeof jobs | (typeof changeJobs)[ChangeJobKind]['job'] | (typeof updateJobs)[PackageType]

/** Enqueues a job for a site. Throws AppError `unsupported` with the reason if its server lacks what the job needs. */
export async function enqueueFor(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  type: SiteJob,
  args: Record<string, unknown> = {},
): Promise<{ job: string }> {
  const needs = type in jobs ? jobs[type as keyof typeof jobs] : 'wordpress'
  if (needs !== null) await requireCapability(deps, tx, site, needs)
  const own: SiteJobArgs = {
    site: siteRef(site, await serverOf(tx, site)),
    engine: site.engine,
    was: site.status,
  }
  const place = placeOf(deps, site)
  const before = riskyJobs.has(type) ? await backupBefore(deps, tx, site) : null
  const archives = place.remote && (before || withArchives.has(type)) ? await archiveMachine(deps, tx) : null
  const job = await deps.jobs().enqueue(tx, {
    type,
    ...siteReference(site),
    args: { ...own, ...args, ...before },
    ...place,
    ...(archives && { host: archives.host }),
  })
  return { job }
}

/**
 * What has a job begin with a backup of its site; null if none can be made, or its schedule does not say so. `always`: whatever that
 * says.
 */
export async function backupBefore(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  { always = false }: { readonly always?: boolean } = {},
): Promise<Pick<BackedUpArgs, 'backup_to'> | null> {
  const engine = findEngine(deps.engines, site)
  // What is broken already would only keep its repair from beginning.
  if (!engine || site.status !== 'Live' || site.health === 'Down') return null
  const schedule = await scheduleOf(tx, site)
  if (!always && (schedule?.enabled !== 1 || schedule.before_changes !== 1)) return null
  if (!capabilitiesOf(engine, await serverOf(tx, site)).backup.supported) return null
  return { backup_to: schedule?.store ?? null }
}

/** Where the jobs of a site run: on its machine, unless its engine reaches that from anywhere. */
export function placeOf(deps: SitesDeps, site: Pick<Site, 'engine' | 'engine_host' | 'server'>) {
  const isBound = deps.engines[site.engine ?? '']?.reach !== 'network'
  // Without `machine`, one process runs everything.
  return { host: isBound && deps.machine ? site.engine_host : null, server: site.server, remote: !isBound }
}
