import { useSearchParams } from '#web/lib/routing/router.tsx'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { currentStep, tabPrefix } from '#web/documents/jobs/job-progress.ts'
import { rowDoc } from '#web/documents/bulk/bulk-choices.ts'
import { useOpenJob } from '#web/documents/jobs/job-link.ts'
import { useJobReadable } from '#web/documents/jobs/use-job-readable.ts'
import { formatDay, parseTime } from '#web/lib/i18n/format-day.ts'
import { getDoc } from '#web/lib/api/api.ts'
import { docKey } from '#web/lib/api/data-client.ts'
import { useDoc, useList, useLoaded } from '#web/lib/api/frappe.tsx'
import { jobLabel, stepLabel } from '#web/documents/jobs/job-label.ts'
import { useTitlePrefix } from '#web/lib/routing/use-title.ts'
import { Button } from '#web/ui/button.tsx'
import { SegmentBar } from '#web/ui/meter.tsx'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { t } from './messages.ts'
import { ProblemTimes } from '#web/documents/values/problem.tsx'
import { hasFailed, siteProblem } from './site-problem.ts'
import { archiveEnds } from './site-summary.ts'

/** Current state at the top of a site's page: work in progress, a failure with its remedy, or the archive. */
export function SiteStatePanel({ site }: { site: Site }) {
  if (site.status === 'Failed') return <FailedPanel site={site} />
  if (site.status === 'Archived') return <ArchivedPanel site={site} />
  if (site.locked_by_job) return <WorkingPanel job={site.locked_by_job} />
  if (site.status === 'Suspended') return <SuspendedPanel site={site} />
  if (hasFailed(site)) return <DownPanel site={site} />
  return site.status === 'Live' ? <FullPanel site={site} /> : null
}

/**
 * A job that the drawer may be showing too. In that case only the drawer subscribes and this reads its cached data, because
 * each subscriber refetches on up to four changes a second. Null reads nothing.
 */
function useJobBehindDrawer(name: string | null): Job | undefined {
  const [params] = useSearchParams()
  const shared = params.get('job') === name
  const cached = useLoaded<Job>(name === null ? null : docKey('Job', name), () => getDoc<Job>('Job', name ?? ''))
  const own = useDoc('Job', shared ? null : name)
  return own.data ?? cached.data
}

function WorkingPanel({ job: name }: { job: string }) {
  const readable = useJobReadable(name)
  const job = useJobBehindDrawer(readable ? name : null)
  const openJob = useOpenJob()
  // The tab title shows the progress while the user works in another tab.
  useTitlePrefix(job ? tabPrefix(job) : null)
  if (readable === false)
    return (
      <div className="mb-4 flex min-h-[68px] items-center gap-x-4 rounded-card border border-border bg-surface px-4 py-3 shadow-xs">
        <StatusIcon tone="info" busy />
        <span className="font-medium">{t('site.working_other')}</span>
      </div>
    )
  const steps = job?.steps ?? []
  return (
    <div className="mb-4 flex min-h-[68px] flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-border bg-surface px-4 py-3 shadow-xs">
      <StatusIcon tone="info" busy />
      <span className="min-w-0 flex-1 basis-60">
        <span className="block font-medium">{job ? t('site.working', { label: jobLabel(job) }) : ' '}</span>
        <span className="my-1.5 block max-w-md">
          <SegmentBar
            label={t('site.working', { label: job ? jobLabel(job) : '' })}
            steps={steps.map((step) => ({
              done: step.status === 'Done' || step.status === 'Skipped',
              percent: step.status === 'Running' ? Math.max(step.percent, 10) : 0,
            }))}
          />
        </span>
        <span className="block text-table text-muted">{stepLabel(currentStep(steps))}</span>
      </span>
      <Button onClick={() => openJob(name)}>{t('site.show_steps')}</Button>
    </div>
  )
}

const failedJobFields = ['name', 'owner', 'status', 'label'] as const

/** The site's latest failed job; Retry resumes it. */
function useFailedJob(site: string): Pick<Job, (typeof failedJobFields)[number]> | null {
  const jobs = useList('Job', {
    fields: failedJobFields,
    filters: [
      ['reference_doctype', '=', 'Site'],
      ['reference_name', '=', site],
    ],
    order_by: 'creation desc',
    limit: 1,
  })
  const latest = jobs.data?.[0]
  return latest?.status === 'Failed' ? latest : null
}

function FailedPanel({ site }: { site: Site }) {
  const job = useFailedJob(site.name)
  const openJob = useOpenJob()
  return (
    <Notice tone="bad" title={t('site.failed_title')} className="mb-4">
      <p className="mt-0.5">
        {site.failure_reason === null ? (
          t('site.failed_none')
        ) : (
          <LocalizedText text={site.failure_reason} i18n={site.failure_reason_i18n} />
        )}
      </p>
      <ProblemTimes {...siteProblem(site)} />
      <div className="mt-3 flex flex-wrap gap-2">
        {job ? (
          <ActionButton
            type={JobDoctype}
            doc={rowDoc(JobDoctype, job)}
            name="retry"
            label={t('site.retry')}
            size="md"
            onDone={() => openJob(job.name)}
          />
        ) : null}
        {job ? (
          <Button size="md" onClick={() => openJob(job.name)}>
            {t('site.show_job')}
          </Button>
        ) : null}
        <ActionButton type={SiteDoctype} doc={{ ...site, doctype: 'Site' }} name="delete_permanently" size="md" />
      </div>
    </Notice>
  )
}

function DownPanel({ site }: { site: Site }) {
  return (
    <Notice tone="bad" title={t('site.down_title')} className="mb-4">
      <p className="mt-0.5">
        {site.failure_reason === null ? (
          t('site.down_none')
        ) : (
          <LocalizedText text={site.failure_reason} i18n={site.failure_reason_i18n} />
        )}
      </p>
      <p className="mt-0.5">{t('site.down_next')}</p>
      <ProblemTimes {...siteProblem(site)} />
    </Notice>
  )
}

function SuspendedPanel({ site }: { site: Site }) {
  return (
    <Notice tone="warn" title={t('site.suspended_title')} className="mb-4">
      <p className="mt-0.5">
        {site.failure_reason === null ? (
          t('site.suspended')
        ) : (
          <LocalizedText text={site.failure_reason} i18n={site.failure_reason_i18n} />
        )}
      </p>
    </Notice>
  )
}

/** Warns before users lose work in a site that can't save anything new, or not of one kind. */
function FullPanel({ site }: { site: Site }) {
  const state = site.storage?.state
  if (!state || state === 'ok' || state === 'suspended') return null
  return (
    <Notice tone="warn" title={t(`site.${state}_title`)} className="mb-4">
      <p className="mt-0.5">{t(`site.${state}`)}</p>
    </Notice>
  )
}

function ArchivedPanel({ site }: { site: Site }) {
  const at = parseTime(site.archived_at)
  const ends = archiveEnds(at)
  const doc = { ...site, doctype: 'Site' }
  return (
    <Notice tone="info" title={at ? t('site.archived_title', { date: formatDay(at) }) : site.status} className="mb-4">
      <p className="mt-0.5">{ends ? t('site.archived', { date: formatDay(ends) }) : t('site.archived_plain')}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <ActionButton type={SiteDoctype} doc={doc} name="restore_archive" variant="primary" size="md" />
        <ActionButton type={SiteDoctype} doc={doc} name="delete_permanently" size="md" />
      </div>
    </Notice>
  )
}
