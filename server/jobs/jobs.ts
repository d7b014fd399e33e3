import { sql } from 'kysely'
import type { Controller } from '#server/contracts/controller.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import { jobController } from './actions.ts'
import { stamp, systemClock, type Clock, type Repeated } from './clock.ts'
import { addToQueue, enqueueJob, queueOf, type EnqueueEnvironment } from './enqueue.ts'
import { endStates } from './claim.ts'
import { jobMethods } from './methods.ts'
import { organizationEnd } from './organization-end.ts'
import { WorkerLiveness } from './worker-liveness.ts'
import { createQueue, queueName, type JobLimits } from './queue.ts'
import { createRunner, type Runner } from './runner.ts'
import { createSchedule } from './schedule.ts'
import { systemSession } from './session.ts'
import { jobTables } from './tables.ts'
import type { JobDefinition, Jobs } from '#server/contracts/job.ts'
import { wakeForEvent, wakeJob } from './wait.ts'
import { watchJobs } from './watch.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'

/** Options of `createJobs`. */
export interface JobsOptions {
  database: Database
  /** The document store; it is created after the jobs because it needs their controllers. */
  documents: () => Documents
  /** All job types; they must be known before startup. */
  definitions: readonly JobDefinition[]
  /** Repeated work; it starts with the jobs. */
  schedules?: readonly ScheduledWork[]
  log: Log
  clock?: Clock
  /** Machines (`engine_host`) whose jobs this process runs in addition to the common ones. */
  hosts?: readonly string[]
  /** Concurrent jobs in this process (default 4); 0 = it only enqueues. */
  concurrency?: number
  /**
   * Concurrent jobs across all processes. Default: per organization one fewer than `concurrency`, and two per remote server.
   */
  limits?: Partial<JobLimits>
}

/** Jobs plus what the composition root needs. */
export interface OpenJobs extends Jobs, Feature {
  readonly controllers: readonly Controller[]
  /** Starts running jobs and schedules. The tables must exist. */
  start(): Promise<void>
  /** Interrupts running jobs so that they resume after the next start, and waits for them. */
  stop(graceMs?: number): Promise<void>
}

/** Number of earlier jobs used to estimate the duration. */
const estimateOf = 20

/** Creates the jobs of this process. Nothing runs before `start`. */
export function createJobs(options: JobsOptions): OpenJobs {
  const { database, log } = options
  const { db } = database
  const clock = options.clock ?? systemClock
  const hosts = options.hosts ?? []
  const concurrency = options.concurrency ?? 4
  const definitions = new Map(options.definitions.map((definition) => [definition.type, definition]))
  const durations = new Map<string, number[]>()
  const limits: JobLimits = { organization: Math.max(1, concurrency - 1), server: 2, ...options.limits }
  const queue = createQueue({ connectionConfig: database.connectionConfig, hosts, concurrency, limits, log })
  const schedule = createSchedule({ works: options.schedules ?? [], db, clock, log })
  let runner: Runner | null = null
  let watch: Repeated | null = null
  let stopAll: ((graceMs: number) => Promise<void>) | null = null

  const took = (type: string, seconds: number) => {
    durations.set(type, [...(durations.get(type) ?? []), seconds].slice(-estimateOf))
  }
  const usualSeconds = (type: string): number | null => {
    const sorted = (durations.get(type) ?? []).toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? null
  }
  const environment: EnqueueEnvironment & { runner(): Runner | null } = {
    documents: options.documents,
    definitions,
    queue,
    usualSeconds,
    runner: () => runner,
  }

  /** Creates a new queue entry for a job that lost its own (a crash between the two systems). */
  async function requeue(name: string): Promise<void> {
    await options.documents().transaction(systemSession(), async (tx) => {
      const job = await tx.get(JobDoctype, name, { lock: true })
      const ref = await queueOf(tx, name)
      if (job && ref && !endStates.includes(job.status ?? '')) await addToQueue(environment, tx, job, ref)
    })
  }

  async function loadDurations(): Promise<void> {
    const { rows } = await sql<{ type: string; seconds: number[] }>`
      select d.type, array(
        select extract(epoch from ended - started)::float8 from tab_job
        where job_type = d.type and status = 'Done' and started is not null order by ended desc limit ${estimateOf}) as seconds
      from unnest(${[...definitions.keys()]}::text[]) as d (type)`.execute(db)
    for (const { type, seconds } of rows) durations.set(type, seconds.toReversed())
  }

  async function start(): Promise<void> {
    const documents = options.documents()
    await Promise.all([queue.start(), loadDurations()])
    const liveness = new WorkerLiveness({
      connectionConfig: database.connectionConfig,
      log,
      onReturn: () => runner?.look(),
    })
    await liveness.start()
    const own = createRunner({
      documents,
      db,
      pool: database.pool,
      definitions,
      clock,
      log,
      took,
      liveness,
      queue,
      limits,
    })
    runner = own
    const unsubscribe = documents.onEvent((event) => {
      if (event.doctype === 'Job' && event.kind === 'update' && own.running().has(event.name)) own.look()
    })
    own.start()
    watch =
      concurrency === 0
        ? null
        : watchJobs({
            documents,
            db,
            pool: database.pool,
            liveness,
            queue,
            runner: own,
            queues: [queueName(null), ...hosts.map(queueName)],
            clock,
            log,
            requeue,
            wake: (job) => wakeJob(environment, job),
          })
    await queue.work(own.run)
    schedule.start({ worker: liveness.worker, liveWorkers: () => liveness.liveWorkers(database.pool) })
    stopAll = async (graceMs) => {
      unsubscribe()
      await queue.pause()
      await Promise.all([schedule.stop(), watch?.stop()])
      await own.stop(graceMs)
      await queue.stop()
      await liveness.stop()
    }
  }

  return {
    controllers: [jobController(environment), organizationEnd],
    methods: jobMethods(db),
    tables: jobTables,
    enqueue: (tx, request) => enqueueJob(environment, tx, request),
    async wake(tx, event) {
      await wakeForEvent(tx, event, stamp(clock.now()))
      tx.afterCommit(() => watch?.soon())
    },
    start,
    stop: async (graceMs = 5000) => {
      const stop = stopAll
      stopAll = null
      await stop?.(graceMs)
    },
  }
}
