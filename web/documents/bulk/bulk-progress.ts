import { useState } from 'react'
import type { Job } from '#shared/doctypes/job.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { useRowsByName } from '#web/lib/api/all-rows.ts'
import type { BulkRow, BulkRun } from './bulk-run.ts'

/** State of a row: of its request first, then of its job. */
export type RowOutcome = 'waiting' | 'running' | 'done' | 'failed' | 'canceled' | 'stopped'

/** A row with its outcome. */
export interface RowProgress extends BulkRow {
  readonly outcome: RowOutcome
  /** 0 to 100 while its job runs; null if unknown. */
  readonly percent: number | null
  /** Whether its job failed, in which case a retry resumes the job. */
  readonly failedJob: boolean
  /** Language of the reason if it isn't the user's. */
  readonly reasonLang?: 'en' | undefined
}

const jobFields = [
  'name',
  'status',
  'percent',
  'error_message',
  'error_message_i18n',
  'next_action',
  'next_action_i18n',
  'outcome',
  'outcome_i18n',
] as const

type JobProgress = Pick<Job, (typeof jobFields)[number]>

/** Combines a row and its job, if any, into one state. */
export function rowProgress(row: BulkRow, job: JobProgress | undefined): RowProgress {
  const plain = { ...row, percent: null, failedJob: false }
  if (row.state !== 'started') return { ...plain, outcome: row.state }
  if (job?.status === 'Done') {
    const { text, lang } = localizedText(job.outcome, job.outcome_i18n)
    return { ...plain, outcome: 'done', reason: text || null, reasonLang: lang }
  }
  if (job?.status === 'Cancelled') return { ...plain, outcome: 'canceled' }
  if (job?.status === 'Failed') {
    const reasons = [
      localizedText(job.error_message, job.error_message_i18n),
      localizedText(job.next_action, job.next_action_i18n),
    ].filter(({ text }) => text !== '')
    return {
      ...plain,
      outcome: 'failed',
      failedJob: true,
      reason: reasons.length === 0 ? null : reasons.map(({ text }) => text).join(' '),
      reasonLang: reasons[0]?.lang,
    }
  }
  return { ...plain, outcome: 'running', percent: job?.percent ?? null }
}

/** Rows of a run with their live state. Completed jobs are not requested again. */
export function useProgress(run: BulkRun | null): readonly RowProgress[] {
  const [done, setDone] = useState<ReadonlyMap<string, JobProgress>>(() => new Map())
  const jobs = (run?.rows ?? []).flatMap((row) => (row.job === null || done.has(row.job) ? [] : [row.job]))
  const states = useRowsByName<JobProgress>('Job', jobs, {
    fields: jobFields,
  }).data
  const fresh =
    jobs.length === 0 ? [] : (states ?? []).filter(({ name, status }) => status === 'Done' && !done.has(name))
  if (fresh.length > 0) setDone(new Map([...done, ...fresh.map((job) => [job.name, job] as const)]))
  const byName = new Map([...(states ?? []).map((job) => [job.name, job] as const), ...done])
  return (run?.rows ?? []).map((row) => rowProgress(row, row.job === null ? undefined : byName.get(row.job)))
}

/** Whether a row has reached its final state. */
export function isOver(row: RowProgress): boolean {
  return row.outcome !== 'waiting' && row.outcome !== 'running'
}
