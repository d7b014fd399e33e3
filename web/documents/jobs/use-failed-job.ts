import type { Job } from '#shared/doctypes/job.ts'
import { useList } from '#web/lib/api/frappe.tsx'

const fields = ['name', 'owner', 'status', 'label', 'job_type'] as const

/** The latest job of a document if it failed; Retry resumes it. Else null. */
export function useFailedJob(doctype: string, name: string): Pick<Job, (typeof fields)[number]> | null {
  const jobs = useList('Job', {
    fields,
    filters: [
      ['reference_doctype', '=', doctype],
      ['reference_name', '=', name],
    ],
    order_by: 'creation desc',
    limit: 1,
  })
  const latest = jobs.data?.[0]
  return latest?.status === 'Failed' ? latest : null
}
