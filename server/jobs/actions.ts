import { controller, type Controller, type HookContext } from '#server/contracts/controller.ts'
import { JobDoctype, type JobStep, type Job, type WaitingCall } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import { canContinueWithout } from '#shared/rules/continue-anyway.ts'
import { msg, labelMessage, serializeMessage } from '#shared/localized-message.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { formatTimestamp, type Clock, type RepeatingTask } from './clock.ts'
import { confirmationChanged, countWaiting, maxWaitingPerDocument, notWaiting } from './waiting-jobs.ts'
import { activityOf } from './claim.ts'
import { addToQueue, queueOf, takeHolds, type EnqueueEnvironment } from './enqueue.ts'
import { failureFields, stepOf } from './failure.ts'
import { isOver, percentOf } from './log/recorder.ts'
import { queueName } from './queue.ts'
import type { Runner } from './runner.ts'
import { initiatorSessionIn } from './session.ts'
import { isWaiting, wakeWaiting } from './wait.ts'

/** Dependencies of the Job's actions. */
export interface ActionEnvironment extends EnqueueEnvironment {
  readonly clock: Clock
  /** Null before startup and in processes that only enqueue jobs. */
  runner: Runner | null
  /** The watch over jobs; null before startup and in processes that only enqueue jobs. */
  watch: RepeatingTask | null
}

/** Behavior of the Job document: cancel, retry, and continue without a step. */
export function jobController(environment: ActionEnvironment): Controller {
  async function cancel(
    doc: Job,
    _args: object,
    { tx, session }: HookContext,
  ): Promise<Record<string, unknown> | null> {
    const job = await tx.get(JobDoctype, doc.name, { lock: true })
    if (!job) throw new AppError('not_found', msg`Job not found`)
    if (job.status === 'Cancelling' || job.status === 'Cancelled') return { status: job.status }
    if (job.status === 'Done' || job.status === 'Failed')
      throw new AppError('invalid', msg`This job has already ended.`)
    if (job.waiting_call) return cancelWaiting(environment, tx, job)
    const possible = environment.definitions.get(job.job_type)?.cancel
    if (possible && !possible.possible) throw new AppError('unsupported', labelMessage(possible.reason))
    const waiting = job.status === 'Queued' || (await isWaiting(tx, job.name))
    if (waiting) {
      const ref = await queueOf(tx, job.name)
      if (ref) await environment.queue.remove(tx.trx, ref)
    }
    await tx.update(
      JobDoctype,
      job.name,
      { status: 'Cancelling', cancelled_by: session.user === 'System' ? null : session.user },
      { activity: false },
    )
    // A queued or waiting job has no worker to notice the cancel, so it is rolled back here. A running job's worker notices
    // it at its next check.
    tx.afterCommit(() => {
      if (waiting) void environment.runner?.rollBack(job.name)
      else environment.runner?.look()
    })
    return { status: 'Cancelling' }
  }

  async function retry(doc: Job, _args: object, { tx }: HookContext): Promise<Record<string, unknown> | null> {
    const job = await lockFailed(environment, tx, doc.name)
    if (job.waiting_call) return waitAgain(environment, tx, job, job.waiting_call)
    return startAgain(environment, tx, job)
  }

  return controller(JobDoctype, {
    actions: {
      cancel,
      retry,
      continue_anyway: (doc, { step }, { tx }) => continueAnyway(environment, tx, { job: doc.name, step }),
    },
  })
}

/** See `Jobs.startOver`. */
export async function startOver(
  environment: ActionEnvironment,
  tx: Tx,
  name: string,
  args: Record<string, unknown>,
): Promise<void> {
  await lockFailed(environment, tx, name)
  const job = await tx.update(JobDoctype, name, { args }, { hooks: false, activity: false })
  await startAgain(environment, tx, job, [])
}

/** A failed job that the caller can have run with their rights. */
async function lockFailed(environment: ActionEnvironment, tx: Tx, name: string): Promise<Job> {
  const job = await tx.get(JobDoctype, name, { lock: true })
  if (job?.status !== 'Failed') throw new AppError('invalid', msg`Only a failed job can be retried.`)
  await assertMayRetry(environment, tx, job)
  return job
}

/** Throws AppError if the caller can't have this job run with their rights. */
async function assertMayRetry({ definitions }: ActionEnvironment, tx: Tx, job: Job): Promise<void> {
  const { session } = tx
  const definition = definitions.get(job.job_type)
  if (!definition) throw new AppError('unsupported', msg`This version does not know the job ${job.job_type}.`)
  const referenceName = job.reference_name ?? ''
  const retrying = await initiatorSessionIn(tx, session.user, job.organization)
  await definition.authorize?.({ session: retrying, referenceName }, tx)
  // The job itself runs with all rights of the user, so a token must also be authorized to start this work.
  if (session.kind === 'token') await definition.authorize?.({ session, referenceName }, tx)
}

/** Queues a failed job again, which begins with its first step that is not over. */
async function startAgain(
  environment: ActionEnvironment,
  tx: Tx,
  job: Job,
  steps = job.steps ?? [],
): Promise<Record<string, unknown>> {
  await takeHolds(environment, tx, job, { retry: true })
  const again = await tx.update(
    JobDoctype,
    job.name,
    {
      status: 'Queued',
      attempt: (job.attempt ?? 0) + 1,
      steps: steps.map((step) => (isOver(step) && step.undone === undefined ? step : notBegun(step))),
      started: null,
      ended: null,
      deadline: null,
      heartbeat: null,
      ...failureFields(null),
      ...serializeMessage('outcome', null),
      cancelled_by: null,
    },
    // The job gets the rights of the user who retries it: nobody can use another user's rights, and an admin can retry
    // when the initiator has lost theirs.
    { activity: false, owner: tx.session.user },
  )
  await addToQueue(environment, tx, again, (await queueOf(tx, job.name)) ?? { queue: queueName(null), server: null })
  return { job: job.name }
}

/** Leaves a step out that waits or has failed, if its definition allows that. */
async function continueAnyway(
  environment: ActionEnvironment,
  tx: Tx,
  call: { readonly job: string; readonly step: string },
): Promise<Record<string, unknown>> {
  const job = await tx.get(JobDoctype, call.job, { lock: true })
  const step = job?.steps?.find(({ key }) => key === call.step)
  if (!job || !step || !canContinueWithout(job, step))
    throw new AppError('invalid', msg`The job can’t continue without this step.`, {
      field: 'step',
      nextAction: msg`Look at the job: it may be at another step by now.`,
    })
  await assertMayRetry(environment, tx, job)
  const now = formatTimestamp(environment.clock.now())
  const steps = (job.steps ?? []).map((one): JobStep =>
    one === step ? { ...one, status: 'Skipped', ended: now, wait: null, retry: null } : one,
  )
  await tx.activity({
    action: 'Job.continue_anyway',
    organization: job.organization,
    reference_doctype: JobDoctype.name,
    reference_name: job.name,
    reference_title: job.label ?? job.name,
    detail: msg`without “${stepOf(job, step.label)}”`,
  })
  if (job.status === 'Failed') return startAgain(environment, tx, job, steps)
  // A worker that looks again at this moment would write its own steps.
  if (!(await wakeWaiting(tx, job.name, now)))
    throw new AppError('conflict', msg`The step is being checked at this moment.`, { nextAction: msg`Try again.` })
  await tx.update(JobDoctype, job.name, { steps, percent: percentOf(steps) }, { hooks: false, activity: false })
  tx.afterCommit(() => environment.watch?.soon())
  return { job: job.name }
}

function notBegun({ undone: _undone, ...step }: JobStep): JobStep {
  return { ...step, status: 'Waiting', started: null, ended: null, percent: 0, wait: null, retry: null }
}

/** Cancels a job that did not get its turn: it holds nothing and did nothing. */
async function cancelWaiting(
  { clock, definitions }: ActionEnvironment,
  tx: Tx,
  job: Job,
): Promise<Record<string, unknown>> {
  const { user } = tx.session
  const canceledBy = user === 'System' ? null : await tx.get(UserDoctype, user)
  await tx.update(
    JobDoctype,
    job.name,
    {
      status: 'Cancelled',
      cancelled_by: canceledBy?.name ?? null,
      ended: formatTimestamp(clock.now()),
      ...notWaiting,
      ...serializeMessage(
        'outcome',
        msg`Canceled by ${canceledBy?.full_name ?? canceledBy?.name ?? msg`the system`}; it had not started`,
      ),
    },
    { activity: false },
  )
  await tx.activity({ ...activityOf(job, definitions.get(job.job_type)), result: 'Cancelled' })
  return { status: 'Cancelled' }
}

/** Gives a job that was refused when it was its turn another one, with the rights of whoever retries it. */
async function waitAgain(
  environment: ActionEnvironment,
  tx: Tx,
  job: Job,
  call: WaitingCall,
): Promise<Record<string, unknown>> {
  // The call is made with all rights of the user, and the token may lack some that it needs.
  if (tx.session.kind === 'token')
    throw new AppError('forbidden', msg`An API token can't retry a job that never started.`, {
      nextAction: msg`Start it again.`,
    })
  if ((await countWaiting(tx, job.reference_doctype ?? '', job.reference_name ?? '')) >= maxWaitingPerDocument)
    throw new AppError('locked', msg`Too many jobs wait for it already.`, {
      nextAction: msg`Wait until some have ended.`,
    })
  const type = environment.documents().type(call.doctype)
  const changed = confirmationChanged(type, call, await tx.get(call.doctype, call.name))
  if (changed) throw changed
  await tx.update(
    JobDoctype,
    job.name,
    {
      status: 'Queued',
      ended: null,
      // Others that came meanwhile come first.
      waits_since: formatTimestamp(environment.clock.now()),
      unavailable_since: null,
      ...failureFields(null),
    },
    { activity: false, owner: tx.session.user },
  )
  tx.afterCommit(() => environment.watch?.soon())
  return { job: job.name }
}
