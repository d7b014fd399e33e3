import { sql } from 'kysely'
import type { Documents } from '#server/contracts/documents.ts'
import type { ActivityEntry, Tx } from '#server/contracts/transaction.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { endedJobStatuses } from '#shared/rules/job-statuses.ts'
import { formatTimestamp, parseTimestamp, type Clock } from './clock.ts'
import { queueOf } from './enqueue.ts'
import { leaseSeconds, type JobLimits } from './queue.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { systemSession } from './session.ts'
import type { JobDefinition } from '#server/contracts/job.ts'

/** A job held by this worker. */
export interface Claim {
  /** The document as claimed; its `attempt` is the fencing token. */
  readonly job: Job
  /** Whether the job runs forward or is rolled back after a cancel. */
  readonly phase: 'forward' | 'cleanup'
}

/** Another worker still holds the job: try again later. */
export class JobAlreadyClaimedError extends Error {
  constructor(job: string) {
    super(`The job ${job} is still held by another worker.`)
    this.name = 'JobAlreadyClaimedError'
  }
}

/** The concurrency limit of the job's organization or server is reached: try again when another job has ended. */
export class ConcurrencyLimitError extends Error {
  constructor(job: string) {
    super(`The job ${job} waits until another one of its organization or on its server has ended.`)
    this.name = 'ConcurrencyLimitError'
  }
}

/**
 * Claims a job: increments its attempt, so that writes of an earlier worker are rejected. Returns null if there is nothing
 * (more) to do. Throws JobAlreadyClaimedError while a live worker with a fresh heartbeat holds it, and ConcurrencyLimitError if the
 * limit of the organization or server is reached.
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
    if (!job || endedJobStatuses.includes(job.status ?? '')) return null
    const { worker: holder, waiting } = await holderOf(tx, name)
    const fresh = job.heartbeat !== null && clock.now() - parseTimestamp(job.heartbeat) < leaseSeconds * 1000
    if (holder !== null && holder !== worker && liveWorkers.has(holder) && fresh) throw new JobAlreadyClaimedError(name)

    // A cancel doesn't wait for its turn: it frees what the job holds.
    if (job.status === 'Queued' || (waiting && job.status !== 'Cancelling'))
      await assertWithinLimits(tx, job, options.limits)
    const now = formatTimestamp(clock.now())
    const cleanup = job.status === 'Cancelling'
    const definition = options.definitions.get(job.job_type)
    const seconds = definition?.deadlineSeconds ?? 60
    const claimed = await tx.update(
      JobDoctype,
      name,
      {
        status: cleanup ? 'Cancelling' : 'Running',
        attempt: (job.attempt ?? 0) + 1,
        started: job.started ?? now,
        deadline: job.deadline ?? formatTimestamp(clock.now() + seconds * 1000),
        heartbeat: now,
      },
      { hooks: false, activity: false },
    )
    await sql`update easydash_job_run set worker = ${worker}, waiting = false where job = ${name}`.execute(tx.trx)
    if (job.started === null && !cleanup) await recordJob(tx, job, definition, { result: 'Started' })
    return { job: claimed, phase: cleanup ? 'cleanup' : 'forward' }
  })
}

/** Counts under locks of the organization and the server, so that concurrent claims see each other. */
async function assertWithinLimits(tx: Tx, job: Job, limits: JobLimits): Promise<void> {
  await transactionLock(tx, `jobs:${job.organization}`)
  const server = (await queueOf(tx, job.name))?.server ?? null
  if (server !== null) await transactionLock(tx, `jobs on:${server}`)
  const { rows } = await sql<{ organization: number; server: number }>`
    select count(*) filter (where running.organization = ${job.organization})::int as organization,
      count(*) filter (where entry.server = ${server})::int as server
    from tab_job running left join easydash_job_run entry on entry.job = running.name
    where running.status in ('Running', 'Cancelling', 'Lost Contact') and entry.waiting is not true
      and running.name != ${job.name}
      and (running.organization = ${job.organization} or entry.server = ${server})`.execute(tx.trx)
  const [running] = rows
  if (!running || running.organization >= limits.organization || running.server >= limits.server)
    throw new ConcurrencyLimitError(job.name)
}

interface Holder {
  /** Worker that currently holds the job. */
  worker: number | null
  /** Whether one of its steps is waiting, so that no worker holds it. */
  waiting: boolean
}

async function holderOf(tx: Tx, job: string): Promise<Holder> {
  const { rows } = await sql<Holder>`select worker, waiting from easydash_job_run where job = ${job}`.execute(tx.trx)
  return rows[0] ?? { worker: null, waiting: false }
}

/** Records what became of a job: at its reference, and at the document it is about besides that. */
export async function recordJob(
  tx: Tx,
  job: Job,
  definition: JobDefinition | undefined,
  outcome: Pick<ActivityEntry, 'result' | 'took_ms' | 'after'>,
): Promise<void> {
  const own = activityOf(job, definition)
  await tx.activity({ ...own, ...outcome })
  const subject = definition?.about?.(job.args ?? {})
  if (subject)
    await tx.activity({ organization: own.organization, job: own.job, actor: own.actor, ...subject, ...outcome })
}

/** Fields common to all activity entries of a job. */
export function activityOf(job: Job, definition: JobDefinition | undefined) {
  const detail = definition?.detail?.(job.args ?? {})
  return {
    ...(detail ? { detail } : {}),
    action: job.job_type,
    organization: job.organization,
    reference_doctype: job.reference_doctype ?? undefined,
    reference_name: job.reference_name ?? undefined,
    reference_title: job.reference_title ?? undefined,
    reference_address: job.reference_address ?? undefined,
    job: job.name,
    actor: job.owner,
  }
}
