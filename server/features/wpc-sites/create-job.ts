import type { JobDefinition } from '#server/contracts/job.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { spaceGbOf, wpcSpaceGb } from '#shared/rules/wp-cloud.ts'
import { readStep } from './read-site.ts'
import { removeSite } from './delete-job.ts'
import {
  accountOfJob,
  failureFields,
  siteOfJob,
  untilDone,
  writeWpcSite,
  type WpcContext,
  type WpcJob,
  type WpcJobArgs,
} from './wpc-context.ts'

/** `wpc_site.create`: a site is ordered at WP Cloud. Canceling deletes it there. */
export function createWpcSiteJob(context: WpcContext): JobDefinition<WpcJobArgs> {
  return {
    type: 'wpc_site.create',
    label: ({ referenceTitle }) => `Create ${referenceTitle}`,
    deadlineSeconds: 3600,
    cancel: { possible: true },
    authorize: authorizeReference(WpcSiteDoctype, 'write'),
    nextAction: () => msg`Retry, or delete the site.`,

    queued: ({ referenceName }, tx) =>
      writeWpcSite(tx, referenceName, { status: 'Setting Up', ...failureFields(context, null) }),

    steps: async () => [
      {
        key: 'check',
        label: 'Check the domain at WP Cloud',
        deadlineSeconds: 120,
        run: (job) => checkDomain(context, job),
      },
      { key: 'order', label: 'Order the site', deadlineSeconds: 300, run: (job) => order(context, job) },
      {
        key: 'wait',
        label: 'Wait until WP Cloud has made it',
        deadlineSeconds: 2700,
        weight: 5,
        async run(job) {
          const { cloud } = await accountOfJob(context, job)
          const { vendor_job: id } = job.kept
          // One that was found after its answer was lost is there already.
          return typeof id === 'string' ? untilDone(cloud, id, job.signal) : undefined
        },
      },
      {
        key: 'classify',
        label: 'Tell WP Cloud that it is a site of its own',
        deadlineSeconds: 120,
        async run(job) {
          const { cloud, id } = await accountOfJob(context, job)
          await cloud.set(id, '_data', JSON.stringify({ v1: { site_type: 'billable' } }), job.signal)
        },
      },
      readStep(context),
    ],

    async failed(job, { message, nextAction }) {
      const reason = msg`${message} ${nextAction}`
      await job.transaction(async (tx) => {
        const site = await tx.get(WpcSiteDoctype, job.referenceName, { lock: true })
        if (!site) return
        const billed = site.atomic_site_id === null ? reason : msg`${reason} WP Cloud bills it until you delete it.`
        await writeWpcSite(tx, site.name, { status: 'Failed', ...failureFields(context, billed) })
      })
    },

    async canceled(job) {
      await removeSite(context, job)
      await job.transaction(async (tx) => {
        if (await tx.get(WpcSiteDoctype, job.referenceName, { lock: true }))
          await tx.delete(WpcSiteDoctype, job.referenceName, { activity: false })
      })
      return msg`the site was removed`
    },
  }
}

/** A domain that WP Cloud has already is never taken over, not even within the account. */
async function checkDomain({ deps }: WpcContext, job: WpcJob): Promise<void> {
  const site = await siteOfJob(job)
  if (site.is_ordered === 1) return
  const cloud = await job.transaction((tx) => deps.wpCloudOf(tx, site))
  const record = await cloud.proofFor(site.domain, job.signal)
  if (record === null) return
  throw new AppError('invalid', msg`WP Cloud has ${site.domain} already, for this account or another one.`, {
    field: 'domain',
    nextAction: msg`Choose another domain, or prove that it is yours by a TXT record of ${site.domain} with ${record}, then retry.`,
  })
}

async function order({ deps }: WpcContext, job: WpcJob): Promise<void> {
  const site = await siteOfJob(job)
  if (site.atomic_site_id !== null) return
  const cloud = await job.transaction((tx) => deps.wpCloudOf(tx, site))
  const password = await job.transaction(async (tx) => {
    await writeWpcSite(tx, site.name, { is_ordered: 1 })
    return tx.secret(WpcSiteDoctype, site.name, 'admin_password')
  })
  const made = await cloud.create({ ...orderOf(site), adminPassword: password ?? '' }, job.signal)
  job.keep({ vendor_job: made.job })
  await job.transaction((tx) => writeWpcSite(tx, site.name, { atomic_site_id: made.id }))
}

const orderOf = (site: WpcSite) => ({
  domain: site.domain,
  adminUser: site.admin_user ?? '',
  adminEmail: site.admin_email ?? '',
  phpVersion: site.php_version,
  place: site.geo_affinity ?? site.data_center,
  spaceGb: spaceGbOf(site.space_quota ?? '') ?? wpcSpaceGb.billed,
})
