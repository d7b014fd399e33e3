import { tJob } from './job-progress-messages.ts'
import { jobLabel, stepLabel, type Labelled } from '#web/documents/jobs/job-label.ts'
import { secondsBetween } from '#web/lib/i18n/format.ts'
import type { Job, JobStep } from '#shared/doctypes/job.ts'
import { endedJobStatuses } from '#shared/rules/job-statuses.ts'

/** Final statuses of a job. */

/** Whether the job has ended. */
export function jobEnded(job: Pick<Job, 'status'>): boolean {
  return endedJobStatuses.includes(job.status ?? '')
}

/** Duration of a job so far, or in total, in seconds; null before it starts. */
export function elapsedSeconds(of: { started?: string | null; ended?: string | null }, now: number): number | null {
  return secondsBetween(of.started, of.ended, now)
}

/** The step to show: the running or failed one, else the next; null if all are done. */
export function currentStep(steps: readonly JobStep[] | null | undefined): JobStep | null {
  if (!steps) return null
  return (
    steps.find((step) => step.status === 'Running' || step.status === 'Failed') ??
    steps.find((step) => step.status === 'Waiting') ??
    null
  )
}

/** "usually 2 min", from the median of earlier runs; null without history. */
export function formatUsualDuration(seconds: number | null | undefined): string | null {
  if (seconds === null || seconds === undefined || seconds <= 0) return null
  if (seconds < 1.5) return tJob('usually.second')
  if (seconds < 90) return tJob('usually.seconds', { n: Math.round(seconds) })
  const minutes = seconds / 60
  const low = Math.floor(minutes)
  return minutes - low < 0.25 ? tJob('usually.minutes', { n: low }) : tJob('usually.range', { low, high: low + 1 })
}

/** Screen reader announcement of progress: the step or the end, never each percent or log line. */
export function progressAnnouncement(job: Pick<Job, 'status' | 'steps' | 'label'> & Labelled): string {
  const label = jobLabel(job) || tJob('job')
  if (job.status === 'Done') return tJob('end.done', { label })
  if (job.status === 'Failed') return tJob('end.failed', { label })
  if (job.status === 'Cancelled') return tJob('end.canceled', { label })
  if (job.status === 'Cancelling') return tJob('end.canceling', { label })
  const steps = job.steps ?? []
  const step = currentStep(steps)
  if (!step) return ''
  return tJob('step', { n: steps.indexOf(step) + 1, all: steps.length, label: stepLabel(step) })
}

/** Prefix of the browser tab's title while a job runs or after it failed; null otherwise. */
export function tabPrefix(job: Pick<Job, 'status' | 'percent'>): string | null {
  if (job.status === 'Running' || job.status === 'Cancelling') return `${job.percent ?? 0}%`
  return job.status === 'Failed' ? '✕' : null
}
