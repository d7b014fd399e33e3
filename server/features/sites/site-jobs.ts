import type { JobDefinition } from '#server/contracts/job.ts'
import type { SitesDeps } from './deps.ts'
import { riskyJobs } from './enqueue-site.ts'
import { withBackupBefore } from './backups/backup-first.ts'
import type { BackedUpArgs } from './job-parts.ts'
import { deployJob } from './deployments/deploy-job.ts'
import { unzipFileJob } from './files/unzip-job.ts'
import { zipFilesJob } from './files/zip-job.ts'
import { archiveSiteJob, deleteSiteJob, restoreArchiveJob } from './archive-jobs.ts'
import { certificateJobs } from './certificates/set-ssl-job.ts'
import { createSiteJob } from './create-job.ts'
import { moveDatabaseJobs } from './database/move-job.ts'
import { domainJobs } from './domains/change-domain-job.ts'
import { convertJob } from './network/convert-job.ts'
import { setPhpVersionJob } from './php-job.ts'
import { restartJobs } from './restart-job.ts'
import { wordpressChangeJobs } from './wordpress/change-job.ts'
import { updateAllJobs } from './wordpress/update-all.ts'
import { verifyChecksumsJob } from './wordpress/verify-checksums.ts'
import { flushCacheJob } from './wordpress/flush-job.ts'
import { changeCoreJob } from './wordpress-core/core-job.ts'
import { syncUsersJob } from './wordpress-users/sync-users-job.ts'
import { settingsJobs } from './settings/settings-jobs.ts'
import { exportSiteJob } from './portable/export-job.ts'
import { importSiteJob } from './portable/import-job.ts'
import { cloneSiteJob } from './copies/clone-job.ts'
import { backupJob } from './backups/backup-job.ts'
import { openBackupJob } from './backups/open-job.ts'
import { proveBackupJob } from './backups/prove-job.ts'
import { restoreImportedJob } from './backups/restore-imported-job.ts'
import { restoreBackupJob, undoRestoreJob } from './backups/restore-job.ts'
import { planPushJob } from './staging/plan-job.ts'
import { pushJob, rollBackPushJob } from './staging/push-job.ts'

/** All jobs of sites. */
export function siteJobs(deps: SitesDeps): JobDefinition[] {
  const jobs = [
    createSiteJob(deps),
    ...copiesJobs(deps),
    ...domainJobs(deps),
    convertJob(deps),
    archiveSiteJob(deps),
    restoreArchiveJob(deps),
    deleteSiteJob(deps),
    setPhpVersionJob(deps),
    ...restartJobs(deps),
    ...certificateJobs(deps),
    ...moveDatabaseJobs(deps),
    syncUsersJob(deps),
    ...settingsJobs(deps),
    verifyChecksumsJob(deps),
    flushCacheJob(deps),
    ...wordpressChangeJobs(deps),
    ...updateAllJobs(deps),
    changeCoreJob(deps) as JobDefinition,
    deployJob(deps),
    unzipFileJob(deps),
    zipFilesJob(deps),
  ]
  return jobs.map((job) =>
    riskyJobs.has(job.type) ? (withBackupBefore(deps, job as JobDefinition<BackedUpArgs>) as JobDefinition) : job,
  )
}

/** Jobs that make a site of another one, or of an archive, and bring changes back. */
const copiesJobs = (deps: SitesDeps): JobDefinition[] => [
  cloneSiteJob(deps) as JobDefinition,
  exportSiteJob(deps) as JobDefinition,
  importSiteJob(deps) as JobDefinition,
  planPushJob(deps) as JobDefinition,
  pushJob(deps) as JobDefinition,
  rollBackPushJob(deps) as JobDefinition,
  backupJob(deps) as JobDefinition,
  proveBackupJob(deps) as JobDefinition,
  openBackupJob(deps) as JobDefinition,
  restoreBackupJob(deps) as JobDefinition,
  restoreImportedJob(deps) as JobDefinition,
  undoRestoreJob(deps) as JobDefinition,
]
