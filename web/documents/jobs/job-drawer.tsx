import { Link as LinkIcon } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { Link, useSearchParams } from '#web/lib/routing/router.tsx'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { formatClock, formatDuration } from '#web/lib/i18n/format.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { useOfflineSince } from '#web/lib/api/offline.ts'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import { useConnected } from '#web/lib/events/use-events.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { useTitlePrefix } from '#web/lib/routing/use-title.ts'
import { Button } from '#web/ui/button.tsx'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { Drawer } from '#web/ui/overlay/drawer.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { ProgressBar } from '#web/ui/meter.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { DocStatus } from '../values/cells.tsx'
import { statusLabel } from '../values/status-tones.ts'
import { CopyOutcome, useCopiedCommand } from '../actions/copy-action-button.tsx'
import { CopyMenu } from '../actions/copy-menu.tsx'
import { actionCurl } from '../actions/copy-as.ts'
import { JobLog } from './job-log.tsx'
import { JobOutcome } from './job-outcome.tsx'
import { JobSteps } from './job-steps.tsx'
import { elapsedSeconds, jobEnded, progressAnnouncement, tabPrefix, formatUsualDuration } from './job-progress.ts'
import { waitsForText } from './waits-for.ts'
import { jobSearch, useOpenJob } from './job-link.ts'
import { t } from './messages.ts'
import { UndoJob } from './undo-job.tsx'
import { usePeople } from '../people.ts'
import { UnreadDrawer } from '../activity/unread-drawer.tsx'
import { documentPath } from '../document-paths.ts'
import { useActionRunner, useActions } from '../actions/use-actions.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'

/** Duration of the drawer's exit animation; its content stays until then. */
const leaveMs = 200

/**
 * Drawer of the job named by `?job=`, over the current page. The shell mounts it once. `next` renders the next steps of a
 * completed job in its footer.
 */
export function JobDrawer({ next }: { next: (job: Job) => ReactNode }) {
  const [params] = useSearchParams()
  const job = params.get('job')
  const [shown, setShown] = useState(job)
  if (job !== null && job !== shown) setShown(job)
  useEffect(() => {
    if (job !== null || shown === null) return
    const timer = setTimeout(() => setShown(null), leaveMs)
    return () => clearTimeout(timer)
  }, [job, shown])
  return shown === null ? null : <OpenJob key={shown} name={shown} open={job !== null} next={next} />
}

function OpenJob({ name, open, next }: { name: string; open: boolean; next: (job: Job) => ReactNode }) {
  const openJob = useOpenJob()
  const { data: job, error, reload } = useDoc('Job', name)
  const ended = job ? jobEnded(job) : false
  const offlineSince = useOfflineSince()
  useTitlePrefix(open && job ? tabPrefix(job) : null)
  const label = job ? jobLabel(job) : ''
  return (
    <Drawer
      open={open}
      onOpenChange={(opened) => {
        if (!opened) openJob(null)
      }}
      title={job ? label : error ? t('job.error_title') : t('job.loading')}
      head={job ? <JobHead job={job} /> : null}
      footer={
        job ? (
          <JobFooter job={job} onClose={() => openJob(null)} next={job.status === 'Done' ? next(job) : null} />
        ) : null
      }
    >
      {job ? (
        <>
          <p role="status" className="sr-only">
            {progressAnnouncement(job)}
          </p>
          <JobOutcome job={job} />
          <JobSteps job={job} asOf={offlineSince} />
          <JobLog job={name} label={label} written={job.log_lines ?? 0} ended={ended} />
        </>
      ) : (
        <UnreadDrawer
          error={error}
          title={error?.httpStatus === 404 ? t('job.missing') : t('job.error_title')}
          doctype="Job"
          name={name}
          onRetry={() => reload()}
        />
      )}
    </Drawer>
  )
}

/** Progress along the upper edge; status, target, user, duration. While the server is away, what it said last, and when. */
function JobHead({ job }: { job: Job }) {
  const ended = jobEnded(job)
  const offlineSince = useOfflineSince()
  const asOf = ended ? null : offlineSince
  const now = useNow(ended || asOf !== null ? null : 1000)
  const person = usePeople([job.owner])
  const connected = useConnected()
  const [copied, setCopied] = useState(false)
  const elapsed = elapsedSeconds(job, asOf ?? now)
  const usually = ended || asOf !== null ? null : formatUsualDuration(job.usual_seconds)
  const path = documentPath(job.reference_doctype, job.reference_name)
  const status = job.status ?? 'Queued'
  return (
    <>
      {ended ? null : (
        <ProgressBar
          percent={job.percent ?? 0}
          label={t('job.progress', { label: jobLabel(job) })}
          className="absolute inset-x-0 top-0 h-0.5! rounded-none!"
        />
      )}
      <div className="mt-1.5 flex min-h-6 flex-wrap items-start gap-x-1 text-table text-muted">
        <div className="flex min-h-6 min-w-0 flex-1 basis-40 flex-wrap items-center gap-x-3 gap-y-1">
          {asOf === null ? (
            <DocStatus doctype="Job" value={status} inset />
          ) : (
            <StatusPill tone="off" inset>
              {t('job.status_at', {
                status: statusLabel('Job', 'status', status),
                time: formatClock(new Date(asOf)),
              })}
            </StatusPill>
          )}
          {job.reference_title ? (
            path ? (
              <Link to={path} className="min-w-0 font-medium wrap-anywhere text-fg hover:underline">
                {job.reference_title}
              </Link>
            ) : (
              <span className="min-w-0 font-medium wrap-anywhere text-fg">{job.reference_title}</span>
            )
          ) : null}
          {job.reference_address ? <span className="min-w-0 wrap-anywhere">{job.reference_address}</span> : null}
          <span>{t('job.by', { name: person(job.owner) })}</span>
          <span className="whitespace-nowrap">
            {[
              elapsed === null
                ? job.waits_for
                  ? null
                  : t('job.queued')
                : formatDuration(ended ? elapsed : Math.floor(elapsed)),
              usually,
            ]
              .filter(Boolean)
              .join(', ')}
          </span>
        </div>
        <JobCommand job={job} />
        <IconButton
          size="sm"
          label={copied ? t('job.link_copied') : t('job.copy_link')}
          onClick={() => void copyText(location.href).then(setCopied)}
        >
          <LinkIcon size={14} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </div>
      {job.waits_for ? <WaitsFor job={job} /> : null}
      {connected || ended ? null : (
        <p role="status" className="mt-1 text-table text-warn">
          {asOf === null ? t('job.socket_down') : t('job.offline', { time: formatClock(new Date(asOf)) })}
        </p>
      )}
    </>
  )
}

/** The job of the same site that comes first, as a link to it. */
function WaitsFor({ job }: { job: Job }) {
  const [params] = useSearchParams()
  return (
    <Link
      to={{ search: jobSearch(params.toString(), job.waits_for ?? '') }}
      className="mt-1 block text-table font-medium wrap-anywhere text-fg hover:underline"
    >
      {waitsForText(job)}
    </Link>
  )
}

/** Copies the command of the currently available action, cancel or retry. */
function JobCommand({ job }: { job: Job }) {
  const actions = useActions(JobDoctype, { ...job, doctype: 'Job' })
  const possible = actions.find(
    ({ name, action, gate }) => gate.enabled && !action.hidden && (name !== 'cancel' || !job.cancel_refused),
  )
  if (!possible) return null
  const { name, action } = possible
  return <CopyJobCommand key={name} job={job.name} action={name} label={translateText(action.label)} />
}

function CopyJobCommand({ job, action, label }: { job: string; action: string; label: string }) {
  const { messages, copy } = useCopiedCommand(() => actionCurl(JobDoctype, job, action, {}, location.origin))
  return (
    <>
      <CopyMenu size="sm" action={label} onCopy={() => void copy()} />
      <CopyOutcome messages={messages} className={messages.length > 0 ? 'order-last basis-full' : 'sr-only'} />
    </>
  )
}

/** Cancel or Retry if available, the reason if the server rejects it, and Close. */
function JobFooter({ job, onClose, next }: { job: Job; onClose: () => void; next: ReactNode }) {
  const doc = { ...job, doctype: 'Job' }
  const actions = useActions(JobDoctype, doc)
  const { run } = useActionRunner(JobDoctype)
  // While the server is away, nobody knows whether it goes on.
  const connected = useConnected()
  const [busy, setBusy] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const start = async (name: string) => {
    setBusy(name)
    setFailure(null)
    try {
      await run(doc, name)
    } catch (error) {
      setFailure(fullMessage(toApiError(error)))
    } finally {
      setBusy(null)
    }
  }
  const has = (name: string) => actions.some((entry) => entry.name === name && entry.gate.enabled)
  const note =
    failure ??
    (job.status === 'Failed' && has('retry') && (job.steps ?? []).length > 0
      ? t(job.steps?.some(({ undone }) => undone) ? 'job.retry_hint_undone' : 'job.retry_hint')
      : jobEnded(job)
        ? ''
        : job.cancel_refused
          ? translateText(job.cancel_refused)
          : connected
            ? t(job.status === 'Queued' ? 'job.close_queued' : 'job.close_hint')
            : '')
  return (
    <>
      <span
        role={failure ? 'alert' : undefined}
        className={`min-w-0 flex-1 basis-40 text-table ${failure ? 'text-bad' : 'text-muted'}`}
      >
        {note}
      </span>
      {has('cancel') ? (
        <Button
          variant="ghost"
          className="text-bad!"
          busy={busy === 'cancel'}
          disabled={Boolean(job.cancel_refused)}
          onClick={() => void start('cancel')}
        >
          {t('job.cancel')}
        </Button>
      ) : null}
      {has('retry') ? (
        <Button variant="primary" busy={busy === 'retry'} onClick={() => void start('retry')}>
          {t('job.retry')}
        </Button>
      ) : null}
      {job.status === 'Done' ? <UndoJob job={job.name} /> : null}
      {next}
      <Button onClick={onClose}>{t('job.close')}</Button>
    </>
  )
}
