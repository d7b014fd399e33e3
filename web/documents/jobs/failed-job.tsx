import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { rowDoc } from '#web/documents/bulk/bulk-choices.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { useOpenJob } from './job-link.ts'
import { t } from './messages.ts'

const fields = ['name', 'owner', 'status', 'label', 'job_type'] as const

type FailedJob = Pick<Job, (typeof fields)[number]>

/** The latest job of a document if it failed; Retry resumes it. Else null. */
export function useFailedJob(doctype: string, name: string): FailedJob | null {
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

/** Resumes the job that failed, or shows it; nothing without one. */
export function FailedJobButtons({ job }: { job: FailedJob | null }) {
  const openJob = useOpenJob()
  if (job === null) return null
  return (
    <>
      <ActionButton
        type={JobDoctype}
        doc={rowDoc(JobDoctype, job)}
        name="retry"
        label={t('job.retry')}
        size="md"
        onDone={() => openJob(job.name)}
      />
      <Button size="md" onClick={() => openJob(job.name)}>
        {t('job.show')}
      </Button>
    </>
  )
}
