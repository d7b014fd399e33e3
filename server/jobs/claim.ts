import { sql } from 'kysely'
import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { stamp, unstamp, type Clock } from './clock.ts'
import { queueOf } from './enqueue.ts'
import { leaseSeconds, type JobLimits } from './queue.ts'
import { oneAtATime } from '#server/documents/store/locks.ts'
import { systemSession } from './session.ts'
import type { JobDefinition } from './types.ts'

/** States after which nothing happens to a job any more (a failed one can be queued again by a person). */
export const endStates: readonly string[] = ['Done', 'Failed', 'Cancelled']

/** A job that this worker holds now. */
export interface Claim {
  /** The document as claimed: its `attempt` is the fencing token. */
  readonly job: Job
  /** Whether it is to be cleaned up after a cancel instead of going forward. */
  readonly phase: 'forward' | 'cleanup'
}

/** Another worker still holds the job: look again later. */
export class HeldError extends Error {
  constructor(job: string) {
    super(`The job ${job} is still held by another worker.`)
    this.name = 'HeldError'
  }
}

/** As many jobs run as may, of the job's organization or on its server: look again when one of them has ended. */
export class FullError extends Error {
  constructor(job: string) {
    super(`The job ${job} waits until another one of its organization or on its server has ended.`)
    this.name = 'FullError'
  }
}

/**
 * Takes a job over: raises its attempt, so that whatever an earlier worker still does can no longer be written.
 * Null when there is nothing (more) to do. Throws HeldError while a living worker with a fresh heartbeat has it, and
 * FullError while as many jobs run as may, of the organization or on the server.
 */
export async function claimJob(
  documents: Documents,
  name: string,
  options: {
    worker: number
    liveWorkers: ReadonlySet<number>
    clock: Clock
    definitions: ReadonlyMap<string, JobDefinition>
    limits: JobLimits
  },
): Promise<Claim | null> {
  const { worker, liveWorkers, clock } = options
  return documents.transaction(systemSession(), async (tx): Promise<Claim | null> => {
    const job = await tx.get(JobDoctype, name, { lock: true })
    if (!job || endStates.includes(job.status ?? '')) return null
    const { worker: holder, waiting } = await holderOf(tx, name)
    const fresh = job.heartbeat !== null && clock.now() - unstamp(job.heartbeat) < leaseSeconds * 1000
    if (holder !== null && holder !== worker && liveWorkers.has(holder) && fresh) throw new HeldError(name)

    if (job.status === 'Queued' || waiting) await assertWithinLimits(tx, job, options.limits)
    const now = stamp(clock.now())
    const cleanup = job.status === 'Cancelling'
    const seconds = options.definitions.get(job.job_type)?.deadlineSeconds ?? 60
    const claimed = await tx.update(
      JobDoctype,
      name,
      {
        status: cleanup ? 'Cancelling' : 'Running',
        attempt: (job.attempt ?? 0) + 1,
        started: job.started ?? now,
        deadline: job.deadline ?? stamp(clock.now() + seconds * 1000),
        heartbeat: now,
      },
      { hooks: false, activity: false },
    )
    await sql`update easydash_job_run set worker = ${worker}, waiting = false where job = ${name}`.execute(tx.trx)
    if (job.started === null && !cleanup) await tx.activity({ ...activityOf(job), result: 'Started' })
    return { job: claimed, phase: cleanup ? 'cleanup' : 'forward' }
  })
}

/** Counts under locks of the organization and of the server, so that of several claims at once each sees those before it. */
async function assertWithinLimits(tx: Tx, job: Job, limits: JobLimits): Promise<void> {
  await oneAtATime(tx, `jobs:${job.organization}`)
  const machine = (await queueOf(tx, job.name))?.machine ?? null
  if (machine !== null) await oneAtATime(tx, `jobs on:${machine}`)
  const { rows } = await sql<{ organization: number; machine: number }>`
    select count(*) filter (where running.organization = ${job.organization})::int as organization,
      count(*) filter (where place.machine = ${machine})::int as machine
    from tab_job running left join easydash_job_run place on place.job = running.name
    where running.status in ('Running', 'Cancelling', 'Lost Contact') and place.waiting is not true
      and running.name != ${job.name}
      and (running.organization = ${job.organization} or place.machine = ${machine})`.execute(tx.trx)
  const [running] = rows
  if (!running || running.organization >= limits.organization || running.machine >= limits.machine)
    throw new FullError(job.name)
}

interface Holder {
  /** Worker that holds the job now. */
  worker: number | null
  /** Whether a step of it waits, so that nobody holds it. */
  waiting: boolean
}

async function holderOf(tx: Tx, job: string): Promise<Holder> {
  const { rows } = await sql<Holder>`select worker, waiting from easydash_job_run where job = ${job}`.execute(tx.trx)
  return rows[0] ?? { worker: null, waiting: false }
}

/** What every activity entry of a job has in common. */
export function activityOf(job: Job) {
  return {
    action: job.job_type,
    organization: job.organization,
    reference_doctype: job.reference_doctype ?? undefined,
    reference_name: job.reference_name ?? undefined,
    reference_title: job.reference_title ?? undefined,
    job: job.name,
    actor: job.owner,
  }
}
