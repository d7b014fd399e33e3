import { useLocation } from 'react-router'
import { Link } from '#web/lib/routing/router.tsx'
import { jobSearch } from '#web/documents/jobs/job-link.ts'
import { currentStep, elapsedSeconds, formatUsualDuration } from '#web/documents/jobs/job-progress.ts'
import type { UnfinishedJob } from '#web/documents/jobs/unfinished-jobs.ts'
import { statusLabel, statusLook } from '#web/documents/values/status-tones.ts'
import { formatDuration } from '#web/lib/i18n/format.ts'
import { useSmallList, type Loaded } from '#web/lib/api/frappe.tsx'
import type { Job } from '#shared/doctypes/job.ts'
import { dashboardLists } from './dashboard-lists.ts'
import { Time } from '#web/ui/time.tsx'
import { jobLabel, stepLabel } from '#web/documents/jobs/job-label.ts'
import { waitsForText } from '#web/documents/jobs/waits-for.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { Card, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { SegmentBar } from '#web/ui/meter.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { t } from './messages.ts'

/** Maximum jobs in the card; the page of jobs has all. */
const maxJobs = 6

const recentFields = dashboardLists.recentJobs[1].fields
type RecentJob = Pick<Job, (typeof recentFields)[number]>

/** Running jobs with their steps, or the last ended ones if none runs; each row opens its drawer. */
export function ProgressCard({ jobs }: { jobs: Loaded<UnfinishedJob[]> }) {
  // Requested along with everything else; after the running jobs it would delay the screen.
  const recent = useSmallList(...dashboardLists.recentJobs).data ?? []
  const now = useNow(jobs.data && jobs.data.length > 0 ? 1000 : null)
  return (
    <Card>
      <CardHead
        title={t(jobs.data?.length === 0 && recent.length > 0 ? 'dashboard.recent' : 'dashboard.progress')}
        lined
      >
        <Link to="/job" className="link">
          {t('dashboard.jobs_all')}
        </Link>
      </CardHead>
      {jobs.data && jobs.data.length > 0 ? (
        <ul className="divide-y divide-hairline">
          {jobs.data.slice(0, maxJobs).map((job) => (
            <JobLine key={job.name} job={job} now={now} />
          ))}
        </ul>
      ) : jobs.data && recent.length > 0 ? (
        <ul className="divide-y divide-hairline">
          {recent.map((job) => (
            <RecentLine key={job.name} job={job} />
          ))}
        </ul>
      ) : jobs.data ? (
        <p className="px-4 py-4 text-table text-muted">{t('dashboard.progress_none')}</p>
      ) : jobs.error ? (
        <ErrorPanel
          className="flex items-start gap-3 p-4"
          title={t('dashboard.progress_error')}
          error={jobs.error}
          onRetry={() => jobs.reload()}
        />
      ) : (
        <div aria-hidden="true" className="px-4 py-5">
          <Skeleton className="h-3 w-56" />
        </div>
      )}
    </Card>
  )
}

function RecentLine({ job }: { job: RecentJob }) {
  const { search } = useLocation()
  const status = job.status ?? 'Done'
  return (
    <li>
      <Link
        to={{ search: jobSearch(search, job.name) }}
        className="flex min-h-11 items-center gap-2 px-4 hover:bg-hover focus-visible:-outline-offset-2"
      >
        <StatusIcon tone={statusLook('Job', 'status', status)?.tone ?? 'none'} />
        <span className="sr-only">{statusLabel('Job', 'status', status)}</span>
        <span className="min-w-0 flex-1 truncate font-medium">{jobLabel(job)}</span>
        <Time value={job.ended} className="text-meta text-muted" />
      </Link>
    </li>
  )
}

function JobLine({ job, now }: { job: UnfinishedJob; now: number }) {
  const { search } = useLocation()
  const look = statusLook('Job', 'status', job.status ?? 'Queued')
  const steps = job.steps ?? []
  const seconds = elapsedSeconds(job, now)
  return (
    <li>
      <Link
        to={{ search: jobSearch(search, job.name) }}
        className="block px-4 py-3 hover:bg-hover focus-visible:-outline-offset-2"
      >
        <span className="flex items-center gap-2">
          <StatusIcon tone={look?.tone ?? 'none'} busy={look?.busy ?? false} />
          <span className="min-w-0 flex-1 truncate font-medium">{jobLabel(job)}</span>
          <span className="text-meta text-muted">{seconds === null ? '' : formatDuration(Math.floor(seconds))}</span>
        </span>
        {job.reference_address ? (
          <span className="ml-6 block truncate text-meta text-muted">{job.reference_address}</span>
        ) : null}
        {steps.length > 0 ? (
          <span className="mt-2 mb-1.5 ml-6 block">
            <SegmentBar
              label={t('dashboard.progress_label', { label: jobLabel(job), percent: job.percent ?? 0 })}
              steps={steps.map((step) => ({
                done: step.status === 'Done' || step.status === 'Skipped',
                percent: step.status === 'Running' ? Math.max(step.percent, 10) : 0,
              }))}
            />
          </span>
        ) : null}
        <span className="ml-6 flex items-center gap-2 text-meta text-muted">
          <span className="min-w-0 flex-1 truncate">
            {job.status === 'Queued' ? (waitsForText(job) ?? t('dashboard.queued')) : stepLabel(currentStep(steps))}
          </span>
          <span className="whitespace-nowrap">{formatUsualDuration(job.usual_seconds)}</span>
        </span>
      </Link>
    </li>
  )
}
