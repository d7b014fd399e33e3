import { useEffect, useRef, useState } from 'react'
import type { Job } from '#shared/doctypes/job.ts'
import { documentPath } from '#web/documents/document-paths.ts'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import { jobEnded } from '#web/documents/jobs/job-progress.ts'
import type { UnfinishedJob } from '#web/documents/jobs/unfinished-jobs.ts'
import { getDoc } from '#web/lib/api/api.ts'
import { showToast, type ToastInput } from '#web/lib/browser/toasts.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { useTitlePrefix } from '#web/lib/routing/use-title.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { tShell } from '../messages.ts'

/** If more jobs end at once, one message counts them. */
const toldOneByOne = 3

/** What a user is told of an ended job: its outcome, and the next step. */
export function jobEndToast(job: Job): ToastInput {
  const label = jobLabel(job)
  const path = documentPath(job.reference_doctype, job.reference_name)
  const drawer = `/job?job=${encodeURIComponent(job.name)}`
  if (job.status === 'Done') {
    return {
      title: tShell('shell.job_done', { label }),
      variant: 'success',
      action: path ? { label: tShell('shell.job_open'), href: path } : { label: tShell('shell.job_see'), href: drawer },
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
function jobEndsToast(jobs: readonly Job[]): ToastInput {
  const failed = jobs.filter(({ status }) => status === 'Failed').length
  return {
    title: tShell('shell.jobs_ended', { count: jobs.length }),
    ...(failed > 0 && { description: tShell('shell.jobs_failed', { count: failed }) }),
    variant: failed > 0 ? 'danger' : 'success',
    polite: true,
    action: { label: tShell('shell.job_see'), href: '/job' },
  }
}

/**
 * Tells the user of their own jobs that end while the job's drawer is closed, on whichever page they are: a toast, which stays
 * in the tray, and a mark in the title of a tab in the background. `unfinished` is the live list of unfinished jobs.
 */
export function useJobEnds(unfinished: readonly UnfinishedJob[] | undefined): void {
  const { user } = useSession()
  const known = useRef<ReadonlySet<string>>(new Set())
  const [mark, setMark] = useState<string | null>(null)
  useTitlePrefix(mark)
  useEffect(() => {
    if (!unfinished) return
    const names = new Set(unfinished.map(({ name }) => name))
    const gone = [...known.current].filter((name) => !names.has(name))
    known.current = names
    if (gone.length > 0) void tell(gone, user ?? '', setMark)
  }, [unfinished, user])
  useEffect(() => {
    const seen = (): void => {
      if (!document.hidden) setMark(null)
    }
    document.addEventListener('visibilitychange', seen)
    return () => document.removeEventListener('visibilitychange', seen)
  }, [])
}

async function tell(names: readonly string[], user: string, setMark: (mark: string) => void): Promise<void> {
  // A job that can no longer be read ended with the access to it, and there is nothing to tell.
  const read = await Promise.allSettled(names.map((name) => getDoc<Job>('Job', name)))
  const open = new URLSearchParams(location.search).get('job')
  const ended = read
    .flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    .filter((job) => jobEnded(job) && job.owner === user && job.name !== open)
  if (ended.length > toldOneByOne) showToast(jobEndsToast(ended))
  else for (const job of ended) showToast(jobEndToast(job))
  if (ended.length > 0 && document.hidden) setMark(ended.some(({ status }) => status === 'Failed') ? '✗' : '✓')
}
