import type { Job, JobStep } from '../doctypes/job.ts'

/**
 * Whether a job can continue without a step: its definition allows that, and the step waits, or it failed and what was done before
 * it was not taken back.
 */
export function canContinueWithout(job: Pick<Job, 'status' | 'steps'>, step: JobStep): boolean {
  if (!step.continue_anyway) return false
  if (job.status === 'Running') return step.status === 'Running' && Boolean(step.wait)
  return job.status === 'Failed' && step.status === 'Failed' && !job.steps?.some(({ undone }) => undone)
}
