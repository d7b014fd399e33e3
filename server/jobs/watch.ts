import { sql } from 'kysely'
import type pg from 'pg'
import type { Documents } from '#server/contracts/documents.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { endedJobStatuses } from '#shared/rules/job-statuses.ts'
import { repeat, formatTimestamp, parseTimestamp, type Clock, type RepeatingTask } from './clock.ts'
import { addToQueue, queueOf, type EnqueueEnvironment } from './enqueue.ts'
import { startWaitingJobs } from './start-waiting.ts'
import { wakeJob } from './wait.ts'
import type { WorkerLiveness } from './worker-liveness.ts'
import { heartbeatSeconds, type Queue, type QueueRef } from './queue.ts'
import type { Runner } from './runner.ts'
import { systemSession } from './session.ts'

/** Interval of the watch. A worker found dead twice in a row loses its jobs. */
const watchMs = 2000
/** A job without a heartbeat for this long is shown as `Lost Contact`. */
const lostAfterMs = (heartbeatSeconds + 5) * 1000
/** Maximum number of waiting jobs requeued per check. */
const maxWoken = 100

/** Options of the watch. */
export interface WatchOptions {
  documents: Documents
  db: Db
  pool: pg.Pool
  liveness: WorkerLiveness
  queue: Queue
  runner: Runner
  /** Queues this process serves; it only watches their jobs. */
  queues: readonly string[]
  clock: Clock
  log: Log
  /** For new queue entries: of jobs that lost theirs, and of jobs whose step is due. */
  environment: EnqueueEnvironment
}

interface Held {
  job: string
  queue: string
  queue_id: string
  worker: number | null
  status: string
  heartbeat: string | null
}

/**
 * Finds jobs of dead workers and makes them run again; meanwhile shows `Lost Contact`. Also rolls back canceled jobs that
 * no worker handles, requeues waiting steps when they are due, and starts jobs that waited for another one. pg-boss's lease does the same for workers that hang
 * without dying, only later.
 */
export function watchJobs(options: WatchOptions): RepeatingTask {
  const { documents, db, liveness, queue, runner, clock, log } = options
  let possiblyLost = new Set<string>()

  async function watch(): Promise<void> {
    try {
      for (const job of await dueJobs()) await wake(job)
      const held = await heldJobs()
      const liveWorkers = held.length > 0 ? await liveness.liveWorkers(options.pool) : new Set<number>()
      const seen = new Set<string>()
      for (const row of held) {
        if (isAbandoned(row, liveWorkers)) {
          seen.add(row.job)
          await (possiblyLost.has(row.job) ? recover(row) : showLostContact(row))
        } else if (isSilent(row)) await showLostContact(row)
      }
      possiblyLost = seen
      await startWaitingJobs(options)
    } catch (error) {
      log.warn('Jobs of vanished workers could not be looked for', { error })
    }
  }

  /** One job that cannot be woken holds up neither the others nor the recovery of lost ones. */
  async function wake(job: string): Promise<void> {
    try {
      await wakeJob(options.environment, job)
    } catch (error) {
      log.warn('A waiting job could not be put back into its queue', { job, error })
    }
  }

  async function dueJobs(): Promise<string[]> {
    const { rows } = await sql<{ job: string }>`
      select job from easydash_job_run
      where queue in (${sql.join([...options.queues])}) and waiting and wake_at <= ${formatTimestamp(clock.now())}
      order by wake_at limit ${maxWoken}`.execute(db)
    return rows.map(({ job }) => job)
  }

  async function heldJobs(): Promise<Held[]> {
    const { rows } = await sql<Held>`
      select r.job, r.queue, r.queue_id, r.worker, j.status, j.heartbeat
      from easydash_job_run r join tab_job j on j.name = r.job
      where r.queue in (${sql.join([...options.queues])}) and (r.worker is not null or j.status = 'Cancelling')`.execute(
      db,
    )
    return rows
  }

  function isAbandoned(row: Held, liveWorkers: ReadonlySet<number>): boolean {
    if (runner.running().has(row.job)) return false
    return row.worker === null || row.worker === liveness.worker || !liveWorkers.has(row.worker)
  }

  function isSilent(row: Held): boolean {
    return row.heartbeat !== null && clock.now() - parseTimestamp(row.heartbeat) > lostAfterMs
  }

  /** Shows that contact with the job was lost; the next claim resets this. */
  async function showLostContact(row: Held): Promise<void> {
    if (row.status !== 'Running' || runner.running().has(row.job)) return
    await documents.transaction(systemSession(), async (tx) => {
      const job = await tx.get(JobDoctype, row.job, { lock: true })
      if (job?.status === 'Running' && job.heartbeat === row.heartbeat) {
        await tx.update(JobDoctype, row.job, { status: 'Lost Contact' }, { hooks: false, activity: false })
      }
    })
  }

  async function recover(row: Held): Promise<void> {
    const ref: QueueRef = { queue: row.queue, id: row.queue_id }
    if (row.status === 'Cancelling') {
      await queue.remove(null, ref)
      void runner.rollBack(row.job)
      return
    }
    log.info('A job continues after its worker died', { job: row.job })
    await sql`update easydash_job_run set worker = null where job = ${row.job} and worker = ${row.worker}`.execute(db)
    if (!(await queue.release(ref))) await requeueLost(options.environment, row.job)
  }

  const repeated = repeat(clock, watchMs, watch)
  repeated.soon()
  return repeated
}

/** Creates a new queue entry for a job that lost its own (a crash between the two systems). */
async function requeueLost(environment: EnqueueEnvironment, name: string): Promise<void> {
  await environment.documents().transaction(systemSession(), async (tx) => {
    const job = await tx.get(JobDoctype, name, { lock: true })
    const ref = await queueOf(tx, name)
    if (job && ref && !endedJobStatuses.includes(job.status ?? '')) await addToQueue(environment, tx, job, ref)
  })
}
