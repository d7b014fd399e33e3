import { Clock } from 'lucide-react'
import { useLocation } from 'react-router'
import { Link } from '#web/lib/routing/router.tsx'
import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { formatAbsolute, formatClock, formatDuration, formatPercent, secondsBetween } from '#web/lib/i18n/format.ts'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import type { UnfinishedJob } from '#web/documents/jobs/unfinished-jobs.ts'
import { BulkLinks } from '#web/documents/jobs/bulk-links.tsx'
import { jobLabel, stepLabel } from '#web/documents/jobs/job-label.ts'
import { waitsForText } from '#web/documents/jobs/waits-for.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { clearToasts, takeToastAction, useToasts } from '#web/lib/browser/toasts.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { ToastIcon } from '#web/ui/overlay/toast-icon.tsx'

const tTray = createCatalog({
  jobs_running: 'In progress',
  no_jobs: 'No running jobs',
  recent: 'Recent messages',
  clear: 'Clear',
  jobs_failed: 'Jobs could not be read',
  all: 'All jobs',
  act: '{action}: {title}',
})

function JobRow({ job, now, onClose }: { job: UnfinishedJob; now: number; onClose: () => void }) {
  const { search, hash } = useLocation()
  const params = new URLSearchParams(search)
  params.set('job', job.name)
  const step = job.steps?.find((entry) => entry.status === 'Running')
  const elapsed = secondsBetween(job.started, null, now)
  const isQueued = job.status === 'Queued'
  return (
    <li>
      <Link
        to={{ search: `?${params.toString()}`, hash }}
        onClick={onClose}
        className="block px-3 py-2.5 hover:bg-hover focus-visible:-outline-offset-2"
      >
        <span className="flex items-center gap-2">
          {isQueued ? (
            <Clock size={14} strokeWidth={1.75} aria-hidden="true" className="flex-none text-muted" />
          ) : (
            <Spinner className="size-3.5 text-m-info" />
          )}
          <span className="min-w-0 flex-1 truncate text-table font-medium">{jobLabel(job)}</span>
          <span title={formatAbsolute(job.started)} className="text-meta text-muted">
            {elapsed === null ? statusLabel('Job', 'status', job.status ?? '') : formatDuration(elapsed)}
          </span>
        </span>
        {job.reference_address ? (
          <span className="ml-5.5 block truncate text-meta text-muted">{job.reference_address}</span>
        ) : null}
        {isQueued ? (
          <span className="ml-5.5 block truncate text-meta text-muted empty:hidden">{waitsForText(job)}</span>
        ) : (
          <>
            <span className="mt-2 mb-1.5 ml-5.5 block h-1 overflow-hidden rounded-full bg-track">
              <span className="block h-full rounded-full bg-m-info" style={{ width: `${job.percent ?? 0}%` }} />
            </span>
            <span className="ml-5.5 flex justify-between gap-2 text-meta text-muted">
              <span className="truncate">{stepLabel(step) || statusLabel('Job', 'status', job.status ?? '')}</span>
              <span>{formatPercent(job.percent ?? 0)}</span>
            </span>
          </>
        )}
      </Link>
    </li>
  )
}

/** Content of the tray: unfinished jobs, newest first, then past toasts. */
export function JobTrayList({ jobs, onClose }: { jobs: Loaded<UnfinishedJob[]>; onClose: () => void }) {
  const { history } = useToasts()
  const now = useNow(1000)
  return (
    <>
      <div className="flex items-center justify-between px-3 pt-3 pb-1">
        <h2 className="text-table">{tTray('jobs_running')}</h2>
        <Link to="/job" className="link text-table" onClick={onClose}>
          {tTray('all')}
        </Link>
      </div>
      <BulkLinks open onFollow={onClose} />
      {jobs.error && !jobs.data ? (
        <ErrorPanel
          className="flex gap-3 p-3"
          title={tTray('jobs_failed')}
          error={jobs.error}
          onRetry={() => jobs.reload()}
        />
      ) : jobs.data?.length ? (
        <ul className="divide-y divide-hairline">
          {jobs.data.toReversed().map((job) => (
            <JobRow key={job.name} job={job} now={now} onClose={onClose} />
          ))}
        </ul>
      ) : (
        <p className="px-3 pb-3 text-table text-muted">{jobs.data ? tTray('no_jobs') : t('common.loading')}</p>
      )}
      {history.length > 0 && (
        <>
          <div className="flex items-center justify-between border-t border-border px-3 pt-2 pb-1">
            <h2 className="text-table">{tTray('recent')}</h2>
            <Button size="sm" variant="ghost" className="-mr-2" onClick={clearToasts}>
              {tTray('clear')}
            </Button>
          </div>
          <ul className="grid gap-2 px-3 pb-3">
            {history.map((toast) => (
              <li key={toast.id} className="flex gap-2 text-table">
                <span className="mt-px w-4 shrink-0">
                  <ToastIcon variant={toast.variant} />
                </span>
                <span className="min-w-0 flex-1 wrap-anywhere">
                  <span className="font-medium">{toast.title}</span>
                  {toast.description && <span className="block text-muted">{toast.description}</span>}
                  {toast.action?.href && (
                    <Link to={toast.action.href} className="link block w-fit" onClick={onClose}>
                      {toast.action.label}
                    </Link>
                  )}
                  {toast.action?.lasting && (
                    <button
                      type="button"
                      className="link block touch:min-h-11"
                      aria-label={tTray('act', { action: toast.action.label, title: toast.title })}
                      onClick={() => {
                        onClose()
                        takeToastAction(toast)
                      }}
                    >
                      {toast.action.label}
                    </button>
                  )}
                </span>
                <time
                  dateTime={new Date(toast.at).toISOString()}
                  title={formatAbsolute(new Date(toast.at))}
                  className="text-meta text-muted"
                >
                  {formatClock(new Date(toast.at))}
                </time>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
