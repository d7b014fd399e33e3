import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import type { WpCloud } from '#server/providers/wpcloud/wpcloud.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { msg } from '#shared/localized-message.ts'
import {
  failureFields,
  siteOfJob,
  untilDone,
  waitForWpCloud,
  writeWpcSite,
  type WpcContext,
  type WpcJob,
  type WpcJobArgs,
} from './wpc-context.ts'

/** `wpc_site.delete_permanently`: WP Cloud deletes the site with its backups, and is looked at until it is gone. */
export function deleteWpcSiteJob(context: WpcContext): JobDefinition<WpcJobArgs> {
  return {
    type: 'wpc_site.delete_permanently',
    label: ({ referenceTitle }) => `Delete ${referenceTitle}`,
    deadlineSeconds: 5400,
    cancel: { possible: false, reason: 'A site that is being deleted cannot be kept.' },
    authorize: authorizeReference(WpcSiteDoctype, { action: 'delete_permanently' }),
    nextAction: () => msg`Retry. If it fails again, delete the site at WP Cloud.`,

    queued: ({ referenceName }, tx) => writeWpcSite(tx, referenceName, { status: 'Deleting' }),

    steps: async () => [
      {
        key: 'backups',
        label: 'Delete its backups on demand',
        deadlineSeconds: 1800,
        destructive: true,
        async run(job) {
          const found = await orderedSite(context, job)
          if (found === null) return undefined
          const { cloud, id } = found
          const kept = (await cloud.backups(id, job.signal)).filter(({ isOnDemand }) => isOnDemand)
          for (const backup of kept) await cloud.deleteBackup(id, backup.id, job.signal)
          return kept.length > 0 ? waitForWpCloud() : undefined
        },
      },
      {
        key: 'delete',
        label: 'Delete the site at WP Cloud',
        deadlineSeconds: 300,
        destructive: true,
        async run(job) {
          const vendorJob = await removeSite(context, job)
          if (vendorJob !== null) job.keep({ vendor_job: vendorJob })
        },
      },
      {
        key: 'wait',
        label: 'Wait until it is gone',
        deadlineSeconds: 2700,
        async run(job) {
          const { vendor_job: id } = job.kept
          const site = await siteOfJob(job)
          if (site.is_ordered === 0) return undefined
          const cloud = await job.transaction((tx) => context.deps.wpCloudOf(tx, site))
          const wait = typeof id === 'string' ? await untilDone(cloud, id, job.signal) : undefined
          if (wait !== undefined) return wait
          return (await orderedSite(context, job)) === null ? undefined : waitForWpCloud()
        },
      },
    ],

    async done({ referenceName }, tx) {
      if (await tx.get(WpcSiteDoctype, referenceName, { lock: true }))
        await tx.delete(WpcSiteDoctype, referenceName, { activity: false })
    },

    failed: (job, { message, nextAction }) =>
      job.transaction(async (tx) => {
        if (!(await tx.get(WpcSiteDoctype, job.referenceName, { lock: true }))) return
        const reason = failureFields(context, msg`${message} ${nextAction}`)
        await writeWpcSite(tx, job.referenceName, { status: 'Failed', ...reason })
      }),
  }
}

/** What was ordered for a job's site, as WP Cloud has it now; null if nothing was, or it is gone. */
async function orderedSite(
  { deps }: WpcContext,
  job: Pick<JobContext, 'transaction' | 'referenceName' | 'signal'>,
): Promise<{ cloud: WpCloud; id: string } | null> {
  const site = await siteOfJob(job)
  if (site.is_ordered === 0) return null
  const cloud = await job.transaction((tx) => deps.wpCloudOf(tx, site))
  if (site.atomic_site_id !== null) {
    const found = await cloud.find(site.atomic_site_id, job.signal)
    return found && { cloud, id: found.id }
  }
  // The answer to its order was lost.
  const found = await cloud.find(site.domain, job.signal)
  const isOurs = found?.adminUser === site.admin_user && found?.adminEmail === site.admin_email
  return found && isOurs ? { cloud, id: found.id } : null
}

/** Deletes what was ordered for a job's site; the job of WP Cloud that does it, null if there is nothing. */
export async function removeSite(context: WpcContext, job: WpcJob): Promise<string | null> {
  const found = await orderedSite(context, job)
  return found && found.cloud.remove(found.id, job.signal)
}
