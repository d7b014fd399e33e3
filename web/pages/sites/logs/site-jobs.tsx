import { useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import { useOpenJob } from '#web/documents/jobs/job-link.ts'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { useList } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Cell, HeadCell, NameCell, Row, Table } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'

/** Jobs that are shown at first, and that are added on request. */
const pageSize = 50

/** The latest jobs of the site; each opens with its steps and its log. */
export function SiteJobs({ site }: { site: Site }) {
  const openJob = useOpenJob()
  const [limit, setLimit] = useState(pageSize)
  const jobs = useList('Job', {
    fields: ['name', 'label', 'reference_title', 'status', 'creation'],
    filters: [
      ['reference_doctype', '=', 'Site'],
      ['reference_name', '=', site.name],
    ],
    order_by: 'creation desc',
    limit,
  })
  if (jobs.error && !jobs.data)
    return <ErrorPanel title={t('logs.jobs_error')} error={jobs.error} onRetry={() => jobs.reload()} />
  if (!jobs.data) return <Skeleton className="h-64 w-full rounded-card" />
  if (jobs.data.length === 0) return <EmptyState title={t('logs.jobs_empty')}>{t('logs.jobs_empty_text')}</EmptyState>
  return (
    <>
      <Table label={t('logs.jobs')}>
        <thead>
          <tr>
            <HeadCell>{t('logs.job')}</HeadCell>
            <HeadCell>{t('logs.status')}</HeadCell>
            <HeadCell>{t('logs.started')}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {jobs.data.map((job) => (
            <Row key={job.name}>
              <NameCell>
                <button
                  type="button"
                  className="text-left font-medium hover:underline touch:min-h-11"
                  onClick={() => openJob(job.name)}
                >
                  {jobLabel(job)}
                </button>
              </NameCell>
              <Cell>
                <DocStatus inset doctype="Job" value={job.status ?? 'Queued'} />
              </Cell>
              <Cell>
                <Time value={job.creation} />
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {jobs.data.length < limit ? null : (
        <Button size="sm" className="mt-3" onClick={() => setLimit(limit + pageSize)}>
          {t('logs.jobs_older')}
        </Button>
      )}
    </>
  )
}
