import type { Job, JobStep, StepRetry, StepWaiting } from '#shared/doctypes/job.ts'
import { canContinueWithout } from '#shared/rules/continue-anyway.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { formatAbsolute, formatDuration, secondsBetween } from '#web/lib/i18n/format.ts'
import { stepLabel } from '#web/documents/jobs/job-label.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { useNow } from '#web/lib/browser/use-now.ts'
import { CopyField } from '#web/ui/copy-button.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { Steps, type StepItem } from '#web/ui/steps.tsx'
import { ContinueAnyway } from './continue-anyway.tsx'
import { jobEnded } from './job-progress.ts'
import { t } from './messages.ts'
import { statusLabel, statusLook } from '../values/status-tones.ts'

function item(job: Job, step: JobStep, now: number): StepItem {
  const running = step.status === 'Running'
  const retry = running ? step.retry : null
  const look = statusLook('JobStep', 'status', step.status) ?? { tone: 'none' as const }
  const seconds = step.status === 'Skipped' ? null : secondsBetween(step.started, step.ended, now)
  return {
    key: step.key,
    label: stepLabel(step),
    tone: step.undone ? 'none' : look.tone,
    busy: look.busy ?? false,
    state: retry ? t('job.step_again') : statusLabel('JobStep', 'status', step.status),
    duration: seconds === null ? null : formatDuration(running ? Math.floor(seconds) : seconds),
    percent: running ? step.percent : null,
    detail: retry ? (
      <StepAgain retry={retry} />
    ) : running && step.wait ? (
      <StepWait wait={step.wait} />
    ) : step.undone ? (
      t('job.step_undone')
    ) : null,
    more: (
      <>
        <KeptDetails step={step} />
        {canContinueWithout(job, step) ? <ContinueAnyway job={job} step={step} /> : null}
      </>
    ),
  }
}

/** What a step made, to copy. */
function KeptDetails({ step: { shows = [], kept = {} } }: { step: JobStep }) {
  const details = shows.flatMap(({ name, label: english }) => {
    const value = String(kept[name] ?? '')
    const label = translateText(english)
    return value === '' ? [] : [{ label, value: <CopyField value={value} label={t('job.copy_kept', { label })} /> }]
  })
  return details.length > 0 ? (
    <div className="mt-1.5">
      <DetailList details={details} />
    </div>
  ) : null
}

/** What a step waits for, and since when. */
function StepWait({ wait }: { wait: StepWaiting }) {
  const since = parseTime(wait.since)
  const { text, lang } = localizedText(wait.reason, wait.reason_i18n)
  return <span lang={lang}>{since ? t('job.step_waits', { what: text, time: formatAbsolute(since) }) : text}</span>
}

/** The attempt of a step that is tried again by itself, and why the one before failed. */
function StepAgain({ retry: { attempt, of, reason, reason_i18n } }: { retry: StepRetry }) {
  const { text, lang } = localizedText(reason, reason_i18n)
  return (
    <>
      <span className="block font-medium text-warn">{t('job.step_attempt', { attempt, of })}</span>
      <span className="block wrap-anywhere" lang={lang}>
        {text}
      </span>
    </>
  )
}

/** The named steps of a job with their durations. `asOf`: since when the server is away (ms since epoch), if it is. */
export function JobSteps({ job, asOf = null }: { job: Job; asOf?: number | null }) {
  const now = useNow(jobEnded(job) || asOf !== null ? null : 1000)
  const steps = job.steps ?? []
  if (steps.length === 0) {
    // If a job ended before its first step, its outcome says all; this is only space above the log.
    if (jobEnded(job)) return <div className="h-4 flex-none" />
    return <p className="px-5 py-4 text-table text-muted">{t('job.steps_none')}</p>
  }
  return (
    <Steps
      items={steps.map((step) => (asOf === null ? item(job, step, now) : { ...item(job, step, asOf), busy: false }))}
    />
  )
}
