import { ListChecks } from 'lucide-react'
import { useMemo } from 'react'
import { unfinishedJobs } from '#web/documents/jobs/unfinished-jobs.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { Nothing } from '#web/documents/values/cells.tsx'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { BulkLinks } from '#web/documents/jobs/bulk-links.tsx'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import { jobSearch } from '#web/documents/jobs/job-link.ts'
import { withCells, type ListCells } from '#web/documents/list/list-columns.ts'
import type { ListView } from '#web/documents/query/saved-views.ts'
import { DocumentList } from '#web/documents/list/list.tsx'
import { formatDuration, secondsBetween } from '#web/lib/i18n/format.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { useLocation } from 'react-router'
import { useSession } from '#web/lib/session/session.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { PageHead } from '#web/ui/page-head.tsx'
import { Time } from '#web/ui/time.tsx'
import { jobListColumns } from './jobs-early-reads.ts'
import { t } from './messages.ts'

function Took({ row }: { row: RowOf<Job> }) {
  const seconds = secondsBetween(row.started, row.ended)
  return seconds === null ? <Nothing /> : formatDuration(seconds)
}

/** The words and cells of the columns. */
const cells: ListCells<RowOf<Job>, keyof Job> = {
  label: {
    title: (row) => (
      <>
        {jobLabel(row) || row.name}
        {row.reference_address ? (
          <span className="block truncate text-meta font-normal text-muted">{row.reference_address}</span>
        ) : null}
      </>
    ),
  },
  owner: { label: t('jobs.by') },
  ended: { label: t('jobs.took'), render: (row) => <Took row={row} /> },
  creation: { label: t('jobs.when'), render: ({ creation }) => <Time value={creation} /> },
}
const columns = withCells(jobListColumns, cells)

/** The organization's jobs that the user can see, running and ended; a row opens the job's drawer. */
export function JobsPage() {
  const { user } = useSession()
  const { search } = useLocation()
  const running = useCount('Job', { filters: unfinishedJobs }).data
  const views: ListView[] = useMemo(
    () => [
      { key: 'all', label: t('jobs.all'), filters: [] },
      { key: 'running', label: t('jobs.running'), filters: unfinishedJobs },
      { key: 'failed', label: t('jobs.failed'), filters: [['status', '=', 'Failed']] },
      { key: 'mine', label: t('jobs.mine'), filters: [['owner', '=', user ?? '']] },
    ],
    [user],
  )
  return (
    <>
      <PageHead title={t('jobs.title')} subtitle={running ? t('jobs.subtitle', { count: running }) : null} />
      <BulkLinks />
      <DocumentList
        type={JobDoctype}
        columns={columns}
        views={views}
        errorTitle={t('jobs.error_title')}
        href={(row) => `/job${jobSearch(search, row.name)}`}
        empty={
          <EmptyState icon={<ListChecks size={20} strokeWidth={1.75} />} title={t('jobs.empty_title')}>
            {t('jobs.empty')}
          </EmptyState>
        }
      />
    </>
  )
}
