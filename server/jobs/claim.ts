import { sql } from 'kysely'
import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { stamp, unstamp, type Clock } from './clock.ts'
import { leaseSeconds } from './queue.ts'
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

/** The job's organization runs as many jobs as it may: look again when one of them has ended. */
export class FullError extends Error {
  constructor(job: string) {
    super(`The job ${job} waits until another one of its organization has ended.`)
    this.name = 'FullError'
  }
}

/**
 * Takes a job over: raises its attempt, so that whatever an earlier worker still does can no longer be written.
 * Null when there is nothing (more) to do. Throws HeldError while a living worker with a fresh heartbeat has it, and
 * FullError while the organization runs as many jobs as it may.
 */
export async function claimJob(
  documents: Documents,
  name: string,
  options: {
    worker: number
    living: ReadonlySet<number>
    clock: Clock
    definitions: ReadonlyMap<string, JobDefinition>
    /** Jobs of one organization that may run at once. */
    organizationLimit: number
  },
): Promise<Claim | null> {
  const { worker, living, clock } = options
  return documents.transaction(systemSession(), async (tx): Promise<Claim | null> => {
    const job = await tx.get<Job>('Job', name, { lock: true })
    if (!job || endStates.includes(job.status ?? '')) return null
    const holder = await holderOf(tx, name)
    const fresh = job.heartbeat !== null && clock.now() - unstamp(job.heartbeat) < leaseSeconds * 1000
    if (holder !== null && holder !== worker && living.has(holder) && fresh) throw new HeldError(name)

    if (job.status === 'Queued') await assertRoom(tx, job, options.organizationLimit)
    const now = stamp(clock.now())
    const cleanup = job.status === 'Cancelling'
    const seconds = options.definitions.get(job.job_type)?.deadlineSeconds ?? 60
    const claimed = await tx.update<Job>(
      'Job',
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
    await sql`update easydash_job_run set worker = ${worker} where job = ${name}`.execute(tx.trx)
    if (job.started === null && !cleanup) await tx.activity({ ...activityOf(job), result: 'Started' })
    return { job: claimed, phase: cleanup ? 'cleanup' : 'forward' }
  })
}

/** Counts under a lock of the organization, so that of several claims at once each sees those before it. */
async function assertRoom(tx: Tx, job: Job, limit: number): Promise<void> {
  await oneAtATime(tx, `jobs:${job.organization}`)
  const running = await tx.count('Job', [
    ['organization', '=', job.organization],
    ['status', 'in', ['Running', 'Cancelling', 'Lost Contact']],
    ['name', '!=', job.name],
  ])
  if (running >= limit) throw new FullError(job.name)
}

/** Worker that holds a job now, or null. */
async function holderOf(tx: Tx, job: string): Promise<number | null> {
  const { rows } = await sql<{ worker: number | null }>`select worker from easydash_job_run where job = ${job}`.execute(
    tx.trx,
  )
  return rows[0]?.worker ?? null
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
