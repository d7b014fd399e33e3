import { sql } from 'kysely'
import type { Documents } from '#server/contracts/documents.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { isTransientDatabaseError } from '#server/platform/database/transient-error.ts'
import type { Log } from '#server/platform/log/log.ts'
import { JobDoctype, type Job, type WaitingCall } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { endedJobStatuses } from '#shared/rules/job-statuses.ts'
import { activityOf } from './claim.ts'
import { formatTimestamp, parseTimestamp, type Clock } from './clock.ts'
import { failureFields, failureOf, isDatabaseLoss } from './failure.ts'
import { initiatorSession, systemSession } from './session.ts'
import {
  assertContinued,
  confirmationChanged,
  continueJob,
  LockedError,
  notWaiting,
  NotWaitingError,
} from './waiting-jobs.ts'
import { assertNotLocked, type EnqueueEnvironment } from './enqueue.ts'
import { startFirst } from './start-first.ts'

/** Waiting jobs that are looked at per check. */
const maxPerCheck = 100
/** A call that is unavailable for this long although it is its turn has failed. */
const maxUnavailableMs = 15 * 60_000

/** What starting waiting jobs needs. */
export interface StartEnvironment {
  readonly documents: Documents
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly environment: EnqueueEnvironment
}

/**
 * Makes the calls of the jobs whose turn it is, oldest first: with the rights that their initiators have now, in the state that
 * their documents have now. A call that is refused ends its job as failed, with the reason. A job that waits for one that was retried,
 * and so came behind it, goes first.
 */
export async function startWaitingJobs(parts: StartEnvironment): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select job.name from tab_job job left join tab_job ahead on ahead.name = job.waits_for
    where job.waiting_call is not null and job.status = 'Queued'
      and (ahead.name is null or ahead.status in (${sql.join([...endedJobStatuses])})
        or (ahead.waiting_call is not null and (coalesce(ahead.waits_since, ahead.creation), ahead.name)
          > (coalesce(job.waits_since, job.creation), job.name)))
    order by coalesce(job.waits_since, job.creation), job.name limit ${maxPerCheck}`.execute(parts.db)
  for (const { name } of rows) {
    try {
      await startWaiting(parts, name)
    } catch (error) {
      // One that can't be started holds up neither the others nor the recovery of lost jobs.
      parts.log.warn('A waiting job could not be started', { job: name, error })
    }
  }
}

async function startWaiting(parts: StartEnvironment, name: string): Promise<void> {
  const { documents, log } = parts
  const job = await documents.transaction(systemSession(), (tx) => tx.get(JobDoctype, name))
  const call = job?.waiting_call
  if (!job || !call || job.status !== 'Queued') return
  try {
    await startUrgent(parts, job)
    const session = await initiatorSession(documents, job.owner, job.organization)
    await documents.runActionAnd(session, call, {
      before: (tx) => continueJob(tx, name),
      after: async (tx) => assertContinued(tx),
    })
  } catch (error) {
    if (error instanceof NotWaitingError || isDatabaseLoss(error) || isTransientDatabaseError(error)) return
    if (error instanceof LockedError) return waitFor(documents, name, error)
    if (isForNow(error) && (await mayWaitOn(parts, name))) return
    if (!(error instanceof AppError)) log.error('A job could not be started when it was its turn', { job: name, error })
    const isConfirmation = error instanceof AppError && error.field === 'confirm_name'
    await fail(parts, name, (isConfirmation ? await confirmationNow(documents, call) : null) ?? error)
  }
}

/**
 * Starts what must not queue up behind the jobs that wait for this document. Throws LockedError while a job holds that: it could
 * not be started then, and the job that waits could begin first if it was released at this moment.
 */
async function startUrgent({ documents, environment, log }: StartEnvironment, job: Job): Promise<void> {
  const { reference_doctype: doctype, reference_name: name } = job
  if (!doctype || !name) return
  await documents.transaction(systemSession(), async (tx) => {
    const reference = await tx.get(doctype, name)
    if (reference) await assertNotLocked(tx, reference)
  })
  await startFirst(environment.definitions, log, { doctype, name })
}

/** Whether the call may be possible a little later. */
function isForNow(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'unavailable' || error.code === 'rate_limited')
}

/** Notes that a call can't be made, although it is its turn. False once that has gone on for too long. */
async function mayWaitOn({ documents, clock }: StartEnvironment, name: string): Promise<boolean> {
  const now = clock.now()
  return documents.transaction(systemSession(), async (tx) => {
    const job = await tx.get(JobDoctype, name, { lock: true })
    if (job?.status !== 'Queued' || job.waiting_call === null) return true
    if (job.unavailable_since) return now - parseTimestamp(job.unavailable_since) < maxUnavailableMs
    await tx.update(JobDoctype, name, { unavailable_since: formatTimestamp(now) }, { hooks: false, activity: false })
    return true
  })
}

function confirmationNow(documents: Documents, call: WaitingCall): Promise<AppError | null> {
  return documents.transaction(systemSession(), async (tx) =>
    confirmationChanged(documents.type(call.doctype), call, await tx.get(call.doctype, call.name)),
  )
}

/** Another job came first: the job waits for that one. */
async function waitFor(documents: Documents, name: string, { holder }: LockedError): Promise<void> {
  await documents.transaction(systemSession(), async (tx) => {
    const job = await tx.get(JobDoctype, name, { lock: true })
    if (job?.status !== 'Queued' || job.waiting_call === null || holder.name === job.waits_for) return
    await tx.update(
      JobDoctype,
      name,
      {
        waits_for: holder.name,
        waits_for_label: holder.label,
        waits_for_title: holder.reference_title,
        unavailable_since: null,
      },
      { hooks: false, activity: false },
    )
  })
}

/** The call is not possible any more. */
async function fail({ documents, clock, environment }: StartEnvironment, name: string, error: unknown): Promise<void> {
  const failure =
    error instanceof AppError
      ? failureOf(error, null, () => msg`Look at the site, then start it again.`)
      : {
          code: 'unavailable',
          message: msg`It could not be started because of an error in Easydash.`,
          nextAction: msg`Retry it. If it fails again, tell the operator of this installation.`,
        }
  await documents.transaction(systemSession(), async (tx) => {
    const job: Job | null = await tx.get(JobDoctype, name, { lock: true })
    if (job?.status !== 'Queued' || job.waiting_call === null) return
    const fields = failureFields(failure)
    await tx.update(
      JobDoctype,
      name,
      {
        status: 'Failed',
        ended: formatTimestamp(clock.now()),
        ...notWaiting,
        waiting_call: job.waiting_call,
        ...fields,
      },
      { hooks: false, activity: false },
    )
    const { error_code, error_message, error_message_i18n } = fields
    await tx.activity({
      ...activityOf(job, environment.definitions.get(job.job_type)),
      result: 'Failed',
      after: { error_code, error_message, error_message_i18n },
    })
  })
}
