import type { Tx } from '#server/contracts/transaction.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { SitesDeps } from './deps.ts'
import { siteRef } from './engine-of.ts'
import type { SiteJobArgs } from './job-parts.ts'
import type { PackageType } from '#server/engines/wordpress-packages.ts'
import type { ChangeJobKind, changeJobs, updateJobs } from './wordpress/site-change.ts'
import { serverOf } from './server-ref.ts'

/** Job types of a site. */
export type SiteJob =
  | 'site.create'
  | 'site.clone'
  | 'site.export'
  | 'site.import'
  | 'site.archive'
  | 'site.restore_archive'
  | 'site.delete'
  | 'site.set_php_version'
  | 'site.sync_users'
  | 'site.set_php_limits'
  | 'site.start_debug'
  | 'site.stop_debug'
  | 'site.set_protection'
  | 'site.suspend'
  | 'site.resume'
  | 'site.verify_checksums'
  | 'site.flush_cache'
  | (typeof changeJobs)[ChangeJobKind]['job']
  | (typeof updateJobs)[PackageType]
  | 'site.change_core'
  | 'site.unzip_file'
  | 'site.zip_files'
  | 'site.change_domain'
  | 'site.convert_to_network'
  | 'site.plan_push'
  | 'site.push'
  | 'site.roll_back_push'
  | 'site.move_to_mysql'
  | 'site.move_to_sqlite'

/** Enqueues a job for a site; returns its name. */
export async function enqueueFor(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  type: SiteJob,
  args: Record<string, unknown> = {},
): Promise<string> {
  const own: SiteJobArgs = {
    site: siteRef(site, await serverOf(tx, site)),
    engine: site.engine,
    was: site.status,
  }
  // Without `machine`, one process runs everything.
  const isBound = deps.engines[site.engine ?? '']?.reach !== 'network'
  return deps.jobs().enqueue(tx, {
    type,
    organization: site.organization,
    reference_doctype: 'Site',
    reference_name: site.name,
    reference_title: site.domain,
    args: { ...own, ...args },
    host: isBound && deps.machine ? site.engine_host : null,
    server: site.server,
    remote: !isBound,
  })
}
