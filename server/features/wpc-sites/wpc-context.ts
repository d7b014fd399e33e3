import type { Documents } from '#server/contracts/documents.ts'
import type { JobContext, Jobs, StepWait } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, systemClock, type Clock } from '#server/jobs/clock.ts'
import type { WpCloud } from '#server/providers/wpcloud/wpcloud.ts'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'

/** Dependencies of the sites at WP Cloud. */
export interface WpcDeps {
  documents: () => Documents
  jobs: () => Jobs
  clock?: Clock
  /**
   * The account of a connection at WP Cloud, or of the organization's default one. Throws AppError `invalid` (field `connection`)
   * without it.
   */
  wpCloudOf(tx: Tx, account: Pick<WpcSite, 'organization' | 'connection'>): Promise<WpCloud>
}

/** Context of the feature. */
export interface WpcContext {
  readonly deps: WpcDeps
  readonly clock: Clock
}

export const openContext = (deps: WpcDeps): WpcContext => ({ deps, clock: deps.clock ?? systemClock })

/** What the jobs of one site are passed. */
export type WpcJob = JobContext<WpcJobArgs>
/** What the action was called with. */
export type WpcJobArgs = { readonly value?: string }

/** The site of a job. Throws AppError `not_found` if it was deleted. */
export async function siteOfJob(job: Pick<JobContext, 'transaction' | 'referenceName'>): Promise<WpcSite> {
  const site = await job.transaction((tx) => tx.get(WpcSiteDoctype, job.referenceName))
  if (!site) throw new AppError('not_found', msg`The site no longer exists.`, { nextAction: msg`Create it again.` })
  return site
}

/** The account of a job's site and the site's id there. Throws AppError if it was never ordered. */
export async function accountOfJob(
  { deps }: WpcContext,
  job: Pick<JobContext, 'transaction' | 'referenceName'>,
): Promise<{ cloud: WpCloud; id: string; site: WpcSite }> {
  const site = await siteOfJob(job)
  const cloud = await job.transaction((tx) => deps.wpCloudOf(tx, site))
  if (site.atomic_site_id === null)
    throw new AppError('conflict', msg`WP Cloud has not made this site yet.`, {
      nextAction: msg`Retry its creation, or delete it.`,
    })
  return { cloud, id: site.atomic_site_id, site }
}

/** What a step returns while WP Cloud works. */
export const waitForWpCloud = (seconds = 5): StepWait => ({ reason: msg`Waiting for ${'WP Cloud'}`, seconds })

/** Waits for a job of WP Cloud. Throws AppError `unavailable` if it failed there. */
export async function untilDone(cloud: WpCloud, id: string, signal: AbortSignal): Promise<StepWait | undefined> {
  const state = await cloud.jobState(id, signal)
  if (state === 'running') return waitForWpCloud()
  if (state === 'done') return undefined
  throw new AppError('unavailable', msg`WP Cloud accepted the request, but could not carry it out (job ${id}).`, {
    nextAction: msg`Retry. If it fails again, name the job to the support of WP Cloud.`,
  })
}

/** Writes values the product itself determined: not a user edit, so no hooks and no activity entry. */
export async function writeWpcSite(tx: Tx, name: string, values: Partial<WpcSite>): Promise<void> {
  await tx.update(WpcSiteDoctype, name, values, { hooks: false, activity: false })
}

/** Status and reason of a site that failed; `null`: it works. */
export function failureFields({ clock }: WpcContext, reason: LocalizedMessage | null) {
  return {
    ...serializeMessage('failure_reason', reason),
    failure_since: reason === null ? null : formatTimestamp(clock.now()),
  } satisfies Partial<WpcSite>
}

/** Starts a job of a site, by one of the types of this feature. */
export function enqueueFor({ deps }: WpcContext, tx: Tx, site: WpcSite, type: string, args: WpcJobArgs = {}) {
  return deps.jobs().enqueue(tx, {
    type,
    organization: site.organization,
    reference_doctype: WpcSiteDoctype.name,
    reference_name: site.name,
    reference_title: site.domain,
    args,
  })
}
