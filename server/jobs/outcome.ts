import { sql } from 'kysely'
import type { Documents } from '#server/contracts/documents.ts'
import type { JobDefinition, JobFailure } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { JobDoctype, type Job, type JobStep } from '#shared/doctypes/job.ts'
import { serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import { recordJob } from './claim.ts'
import { formatTimestamp, parseTimestamp, type Clock } from './clock.ts'
import { queueOf } from './enqueue.ts'
import { failureFields } from './failure.ts'
import type { Queue } from './queue.ts'
import type { Recorder } from './log/recorder.ts'

/** Outcome of a job. */
export type JobOutcome =
  | { status: 'Done'; outcome?: LocalizedMessage }
  | { status: 'Failed'; failure: JobFailure }
  | { status: 'Cancelled'; outcome: LocalizedMessage }

/** Releases a job's lock on its reference, if the reference still exists and is still locked by this job. */
export async function releaseReference(documents: Documents, tx: Tx, job: Job): Promise<void> {
  const { reference_doctype: doctype, reference_name: name } = job
  if (!doctype || !name || !Object.hasOwn(documents.type(doctype).fields, 'locked_by_job')) return
  const reference = await tx.get(doctype, name, { lock: true })
  if (reference?.locked_by_job === job.name)
    await tx.update(doctype, name, { locked_by_job: null }, { hooks: false, activity: false })
}

/** Final state of the steps: none stays `Running`. */
function closedSteps(steps: readonly JobStep[], outcome: JobOutcome, now: string): JobStep[] {
  return steps.map((step): JobStep => {
    if (outcome.status === 'Cancelled' && (step.status === 'Running' || step.status === 'Waiting')) {
      return { ...step, status: 'Skipped', ended: step.started ? now : null }
    }
    if (outcome.status === 'Failed' && step.status === 'Running') return { ...step, status: 'Failed', ended: now }
    return step
  })
}

/** Writes the outcome of a job in a fenced transaction: document, log, lock, queue entry and activity together. */
export async function writeOutcome(
  parts: { documents: Documents; queue: Queue; job: Job; definition: JobDefinition; recorder: Recorder; clock: Clock },
  tx: Tx,
  outcome: JobOutcome,
): Promise<void> {
  const { documents, queue, job, definition, recorder, clock } = parts
  const now = formatTimestamp(clock.now())
  const { steps, log_lines } = await recorder.finish(tx)
  const failure = outcome.status === 'Failed' ? outcome.failure : null
  const failureValues = failureFields(failure)
  await tx.update(
    JobDoctype,
    job.name,
    {
      status: outcome.status,
      ...(outcome.status === 'Done' ? { percent: 100 } : {}),
      steps: closedSteps(steps, outcome, now),
      log_lines,
      ended: now,
      heartbeat: null,
      ...failureValues,
      ...serializeMessage('outcome', outcome.status === 'Failed' ? null : (outcome.outcome ?? null)),
    },
    { hooks: false, activity: false },
  )
  await releaseReference(documents, tx, job)
  const ref = await queueOf(tx, job.name)
  if (ref) await queue.finish(tx.trx, ref)
  // A failed job keeps its row, so that a retry uses the same queue.
  await (
    failure
      ? sql`update easydash_job_run set worker = null where job = ${job.name}`
      : sql`delete from easydash_job_run where job = ${job.name}`
  ).execute(tx.trx)
  await recordJob(tx, job, definition, {
    result: outcome.status,
    took_ms: clock.now() - parseTimestamp(job.started ?? now),
    ...(failure
      ? {
          after: {
            error_code: failureValues.error_code,
            error_message: failureValues.error_message,
            error_message_i18n: failureValues.error_message_i18n,
          },
        }
      : {}),
  })
}
