import { sql } from 'kysely'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { JobDoctype, type JobStep } from '#shared/doctypes/job.ts'
import { serializeMessage } from '#shared/localized-message.ts'
import { formatTimestamp, parseTimestamp } from './clock.ts'
import { addToQueue, queueOf, type EnqueueEnvironment } from './enqueue.ts'
import type { QueueGroup } from './queue.ts'
import { percentOf } from './log/recorder.ts'
import { contextOf, type Run } from './run-parts.ts'
import { stepDeadlineSeconds } from './step-run.ts'
import { systemSession } from './session.ts'
import type { JobStepDefinition, StepWait } from '#server/contracts/job.ts'

/** Maximum time between two checks, in seconds: an event that never arrives must not block a job forever. */
const maxSeconds = 86_400

/**
 * Frees the worker while a step waits. Steps, log and the time of the next check are written in one fenced transaction,
 * which also ends the queue entry. An event that arrived while the step looked (from `checkedFrom` on, ms since epoch) makes it
 * look again at once. Throws StopError.
 */
export async function suspend(
  run: Run,
  step: JobStepDefinition,
  row: JobStep,
  wait: StepWait & { readonly checkedFrom: number },
): Promise<void> {
  const { job, recorder, clock, queue } = run
  // First, so that the steps say that one waits from the moment in which the worker is free.
  await recorder.settle()
  const now = clock.now()
  const deadlines = [parseTimestamp(row.started ?? formatTimestamp(now)) + stepDeadlineSeconds(step) * 1000]
  if (job.deadline) deadlines.push(parseTimestamp(job.deadline))
  const wakeAt = Math.min(now + Math.min(maxSeconds, Math.max(0, wait.seconds)) * 1000, ...deadlines)
  const { reason, reason_i18n } = serializeMessage('reason', wait.reason)
  const since = row.wait?.reason === reason ? row.wait.since : formatTimestamp(now)
  row.wait = { since, reason: reason ?? '', reason_i18n }
  row.retry = null
  await contextOf(run, run.controller.signal, null).transaction(async (tx) => {
    const { steps, log_lines } = await recorder.finish(tx)
    // It may be shown as Lost Contact: on a machine that stood still the watch was there before the worker's next sign of life.
    const values = { status: 'Running', steps, log_lines, percent: percentOf(steps), heartbeat: null } as const
    await tx.update(JobDoctype, job.name, values, { hooks: false, activity: false })
    const ref = await queueOf(tx, job.name)
    if (ref) await queue.finish(tx.trx, ref)
    const arrived = wait.event !== undefined && (await takeEvent(tx, wait.event, formatTimestamp(wait.checkedFrom)))
    await sql`
      update easydash_job_run set worker = null, waiting = true, wake_at = ${formatTimestamp(arrived ? now : wakeAt)}, wake_event = ${wait.event ?? null}
      where job = ${job.name}`.execute(tx.trx)
  })
}

/** Whether a step of the job is waiting and no worker holds the job. */
export async function isWaiting(tx: Tx, job: string): Promise<boolean> {
  const { rows } = await sql<{ waiting: boolean }>`
    select waiting from easydash_job_run where job = ${job} and worker is null`.execute(tx.trx)
  return rows[0]?.waiting ?? false
}

/** Serializes the arrival of an event with steps that start to wait for it, so that neither misses the other. */
const lockEvent = (tx: Tx, event: string) => transactionLock(tx, `job event:${event}`)

/** Whether the event has arrived since then. It counts once: the next look starts after it. */
async function takeEvent(tx: Tx, event: string, since: string): Promise<boolean> {
  await lockEvent(tx, event)
  const { rows } = await sql`
    delete from easydash_job_event where event = ${event} and at >= ${since} returning event`.execute(tx.trx)
  return rows.length > 0
}

/** Makes the jobs that wait for an event due now, and keeps it for a step that starts to wait for it in this moment. */
export async function wakeForEvent(tx: Tx, event: string, now: string): Promise<void> {
  await lockEvent(tx, event)
  await sql`
    insert into easydash_job_event (event, at) values (${event}, ${now})
    on conflict (event) do update set at = excluded.at`.execute(tx.trx)
  await sql`update easydash_job_run set wake_at = ${now} where wake_event = ${event} and wake_at is not null`.execute(
    tx.trx,
  )
}

/** Makes a job due now whose step waits. False if none does, or a worker looks at it. */
export async function wakeWaiting(tx: Tx, job: string, now: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update easydash_job_run set wake_at = case when wake_at is null then null else ${now}::timestamp end
    where job = ${job} and waiting and worker is null`.execute(tx.trx)
  return numAffectedRows === 1n
}

/** Requeues a waiting job; does nothing if it was already requeued or canceled. */
export async function wakeJob(environment: EnqueueEnvironment, name: string): Promise<void> {
  await environment.documents().transaction(systemSession(), async (tx) => {
    const job = await tx.get(JobDoctype, name, { lock: true })
    if (job?.status !== 'Running') return
    const { rows } = await sql<QueueGroup>`
      update easydash_job_run set wake_at = null, wake_event = null
      where job = ${name} and waiting and wake_at is not null returning queue, server`.execute(tx.trx)
    if (rows[0]) await addToQueue(environment, tx, job, rows[0])
  })
}
