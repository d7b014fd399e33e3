import type { Job } from '#shared/doctypes/job.ts'
import { unfinishedJobStatuses } from '#shared/rules/job-statuses.ts'
import { useSmallList, type Loaded } from '#web/lib/api/frappe.tsx'

/** List filters for unfinished jobs. */
export const unfinishedJobs = [['status', 'in', unfinishedJobStatuses]] as const

const fields = [
  'name',
  'label',
  'status',
  'percent',
  'steps',
  'started',
  'ended',
  'usual_seconds',
  'reference_title',
  'reference_address',
  'waits_for_label',
  'waits_for_title',
] as const

/** The fields of an unfinished job. */
export type UnfinishedJob = Pick<Job, (typeof fields)[number]>

/**
 * At most 50 unfinished jobs, oldest first, live; queued ones come after those that run. The top bar and the dashboard share
 * the request.
 */
export function useUnfinishedJobs(enabled = true): Loaded<UnfinishedJob[]> {
  return useSmallList(enabled ? 'Job' : null, {
    fields,
    filters: unfinishedJobs,
    order_by: 'creation asc',
    limit: 50,
  })
}
