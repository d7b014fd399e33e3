import { controller, type Controller, type HookContext } from '#server/contracts/controller.ts'
import { JobDoctype, type JobStep, type Job } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage, serializeMessage } from '#shared/localized-message.ts'
import { addToQueue, lockReference, queueOf, type EnqueueEnvironment } from './enqueue.ts'
import { failureFields } from './failure.ts'
import { queueName } from './queue.ts'
import type { Runner } from './runner.ts'
import { initiatorSessionIn } from './session.ts'
import { isWaiting } from './wait.ts'

/** Dependencies of the Job's actions. */
export interface ActionEnvironment extends EnqueueEnvironment {
  /** Null before startup and in processes that only enqueue jobs. */
  runner: Runner | null
}

/** Behavior of the Job document: cancel and retry. */
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

  async function retry(doc: Job, _args: object, { tx, session }: HookContext): Promise<Record<string, unknown> | null> {
    const job = await tx.get(JobDoctype, doc.name, { lock: true })
    if (job?.status !== 'Failed') throw new AppError('invalid', msg`Only a failed job can be retried.`)
    const definition = environment.definitions.get(job.job_type)
    if (!definition) throw new AppError('unsupported', msg`This version does not know the job ${job.job_type}.`)
    const referenceName = job.reference_name ?? ''
    const retrying = await initiatorSessionIn(tx, session.user, job.organization)
    await definition.authorize?.({ session: retrying, referenceName }, tx)
    // The job itself runs with all rights of the user, so a token must also be authorized to start this work.
    if (session.kind === 'token') await definition.authorize?.({ session, referenceName }, tx)
    await lockReference(environment.documents(), tx, job)
    const args = job.args ?? {}
    await definition.queued?.({ job: job.name, organization: job.organization, referenceName, args, retry: true }, tx)
    const steps = (job.steps ?? []).map((step): JobStep =>
      step.status === 'Done'
        ? step
        : { ...step, status: 'Waiting', started: null, ended: null, percent: 0, wait: null },
    )
    const again = await tx.update(
      JobDoctype,
      job.name,
      {
        status: 'Queued',
        attempt: (job.attempt ?? 0) + 1,
        steps,
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
      { activity: false, owner: session.user },
    )
    await addToQueue(environment, tx, again, (await queueOf(tx, job.name)) ?? { queue: queueName(null), server: null })
    return { job: job.name }
  }

  return controller(JobDoctype, { actions: { cancel, retry } })
}
