import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { unfinishedJobs } from '#web/documents/jobs/unfinished-jobs.ts'
import type { ColumnOptions } from '#web/documents/list/list-columns.ts'
import { readListEarly } from '#web/documents/list/read-list-early.ts'
import type { Arrival } from '#web/lib/routing/route-match.ts'

/** Columns of the list of jobs, without their words and cells. */
export const jobListColumns = [
  { field: 'label', also: ['reference_title', 'reference_address', 'reference_doctype', 'reference_name'] },
  { field: 'status', card: true },
  { field: 'owner' },
  { field: 'ended', right: true, unsortable: true, also: ['started'] },
  { field: 'creation', card: true },
] as const satisfies readonly (ColumnOptions & { field: keyof Job })[]

/** Starts what the list of jobs shows first: its rows, and how many run. */
export function readJobsEarly(arrival: Arrival): void {
  readListEarly(JobDoctype, jobListColumns, arrival, { counts: [{ filters: unfinishedJobs }] })
}
