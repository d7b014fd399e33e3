import { undoButton } from '#web/documents/actions/undo-button.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { documentPath } from '#web/documents/document-paths.ts'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import type { ToastInput } from '#web/lib/browser/toasts.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { tShell } from './messages.ts'

/** Fields of a job that its message needs. */
export const endedJobFields = [
  'name',
  'status',
  'ended',
  'job_type',
  'label',
  'reference_doctype',
  'reference_name',
  'reference_title',
  'reference_address',
  'error_message',
  'error_message_i18n',
  'outcome',
  'outcome_i18n',
] as const

/** A job that has ended. */
export type EndedJob = Pick<Job, (typeof endedJobFields)[number]>

/**
 * What a user is told of an ended job: its outcome, and the next step, which is `undo` if that is possible. It still works
 * later.
 */
export function jobEndToast(job: EndedJob, undo?: () => Promise<unknown>): ToastInput {
  const label = jobLabel(job)
  // Of a deletion, the page is gone.
  const path = job.job_type === 'site.delete' ? null : documentPath(job.reference_doctype, job.reference_name)
  const drawer = `/job?job=${encodeURIComponent(job.name)}`
  if (job.status === 'Done') {
    const open = path
      ? { label: tShell('shell.job_open'), href: path }
      : { label: tShell('shell.job_see'), href: drawer }
    // More than that it is done: what it found.
    const said = localizedText(job.outcome, job.outcome_i18n).text
    const action = undo ? undoButton({ undo }, { lasting: true }) : open
    return {
      title: tShell('shell.job_done', { label }),
      ...((said || job.reference_address) && { description: said || (job.reference_address ?? '') }),
      variant: said === '' ? 'success' : 'info',
      action,
    }
  }
  const failed = job.status === 'Failed'
  const reason = localizedText(job.error_message, job.error_message_i18n).text
  return {
    title: tShell(failed ? 'shell.job_failed' : 'shell.job_canceled', { label }),
    ...(failed && reason !== '' && { description: reason }),
    variant: failed ? 'danger' : 'info',
    polite: true,
    action: { label: tShell(failed ? 'shell.job_why' : 'shell.job_see'), href: drawer },
  }
}

/** The toast of several jobs that ended at once. */
export function jobEndsToast(jobs: readonly EndedJob[]): ToastInput {
  const failed = jobs.filter(({ status }) => status === 'Failed').length
  return {
    title: tShell('shell.jobs_ended', { count: jobs.length }),
    ...(failed > 0 && { description: tShell('shell.jobs_failed', { count: failed }) }),
    variant: failed > 0 ? 'danger' : 'success',
    polite: true,
    action: { label: tShell('shell.job_see'), href: '/job' },
  }
}
