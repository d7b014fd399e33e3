import type { Controller } from '#server/contracts/controller.ts'
import type { Documents, OpenDocuments } from '#server/contracts/documents.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { ScheduledWork, WorkOnHosts } from '#server/contracts/schedule.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import { jobController, startOver, type ActionEnvironment } from './actions.ts'
import { formatTimestamp, systemClock, type Clock, type RepeatingTask } from './clock.ts'
import { enqueueJob } from './enqueue.ts'
import { loadDurations } from './job-durations.ts'
import { jobMethods } from './methods.ts'
import { organizationCleanup } from './organization-cleanup.ts'
import { WorkerLiveness } from './worker-liveness.ts'
import { Queue, queueName, type JobLimits } from './queue.ts'
import { createRunner, type Runner } from './runner.ts'
import { createSchedule, type Schedule } from './schedule.ts'
import { jobTables } from './tables.ts'
import { takingTurns } from './turns.ts'
import type { JobDefinition, Jobs } from '#server/contracts/job.ts'
import { wakeForEvent } from './wait.ts'
import { watchJobs } from './watch.ts'

/** Options of `createJobs`. */
export interface JobsOptions {
  database: Database
  /** The document store; it is created after the jobs because it needs their controllers. */
  documents: () => Documents
  /** All job types; they must be known before startup. */
  definitions: readonly JobDefinition[]
  /** Repeated work; it starts with the jobs. */
  schedules?: readonly (ScheduledWork | WorkOnHosts)[]
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
  /** The store with actions that wait for their turn; see `takingTurns`. */
  takingTurns(documents: OpenDocuments): OpenDocuments
  /** Starts running jobs and schedules. The tables must exist. */
  start(): Promise<void>
  /** Interrupts running jobs so that they resume after the next start, and waits for them. */
  stop(graceMs?: number): Promise<void>
}

/** State of the jobs of this process. */
interface JobsContext extends ActionEnvironment {
  readonly options: JobsOptions
  readonly hosts: readonly string[]
  readonly concurrency: number
  readonly limits: JobLimits
  readonly schedule: Schedule
  /** What `stopJobs` has to stop; null while the jobs are not started completely. */
  started: StartedJobs | null
}

/** What runs once the jobs are started. */
interface StartedJobs {
  readonly liveness: WorkerLiveness
  readonly runner: Runner
  unsubscribe(): void
}

/** Creates the jobs of this process. Nothing runs before `start`. */
export function createJobs(options: JobsOptions): OpenJobs {
  const context = openContext(options)
  return {
    controllers: [jobController(context), organizationCleanup],
    methods: jobMethods(options.database.db),
    tables: jobTables,
    takingTurns: (documents) => takingTurns(context, documents),
    enqueue: (tx, request) => enqueueJob(context, tx, request),
    startOver: (tx, job, args) => startOver(context, tx, job, args),
    async wake(tx, event) {
      await wakeForEvent(tx, event, formatTimestamp(context.clock.now()))
      tx.afterCommit(() => context.watch?.soon())
    },
    start: () => startJobs(context),
    stop: (graceMs = 5000) => stopJobs(context, graceMs),
  }
}

function openContext(options: JobsOptions): JobsContext {
  const { database, documents, log, clock = systemClock, hosts = [], concurrency = 4 } = options
  const limits: JobLimits = { organization: Math.max(1, concurrency - 1), server: 2, ...options.limits }
  return {
    options,
    documents,
    definitions: new Map(options.definitions.map((definition) => [definition.type, definition])),
    durations: new Map(),
    queue: new Queue({ connectionConfig: database.connectionConfig, hosts, concurrency, limits, log }),
    schedule: createSchedule({ works: options.schedules ?? [], db: database.reserved, clock, log }),
    clock,
    hosts,
    concurrency,
    limits,
    runner: null,
    watch: null,
    started: null,
  }
}

async function startJobs(context: JobsContext): Promise<void> {
  const { queue, definitions, durations, schedule } = context
  const { database, log } = context.options
  const documents = context.documents()
  await Promise.all([queue.start(), loadDurations(durations, database.db, [...definitions.keys()])])
  const liveness = new WorkerLiveness({
    connectionConfig: database.connectionConfig,
    log,
    onReturn: () => context.runner?.look(),
  })
  await liveness.start()
  const runner = startRunner(context, liveness)
  const unsubscribe = documents.onEvent((event) => {
    if (event.doctype === 'Job' && event.kind === 'update' && runner.running().has(event.name)) runner.look()
  })
  if (context.concurrency > 0) context.watch = startWatch(context, liveness, runner)
  await queue.work(async (job) => {
    try {
      await runner.run(job)
    } finally {
      // It may have been in the way of others.
      context.watch?.soon()
    }
  })
  schedule.start({ worker: liveness.worker, liveWorkers: () => liveness.liveWorkers(database.pool) })
  context.started = { liveness, runner, unsubscribe }
}

function startRunner(context: JobsContext, liveness: WorkerLiveness): Runner {
  const { definitions, durations, queue, limits, clock } = context
  const { database, log } = context.options
  const runner = createRunner({
    documents: context.documents(),
    db: database.db,
    pool: database.pool,
    definitions,
    durations,
    clock,
    log,
    liveness,
    queue,
    limits,
  })
  context.runner = runner
  runner.start()
  return runner
}

function startWatch(context: JobsContext, liveness: WorkerLiveness, runner: Runner): RepeatingTask {
  const { database, log } = context.options
  return watchJobs({
    documents: context.documents(),
    db: database.db,
    pool: database.pool,
    liveness,
    queue: context.queue,
    runner,
    queues: [queueName(null), ...context.hosts.map(queueName)],
    clock: context.clock,
    log,
    environment: context,
  })
}

async function stopJobs(context: JobsContext, graceMs: number): Promise<void> {
  const { started, queue, schedule, watch } = context
  if (!started) return
  context.started = null
  started.unsubscribe()
  await queue.pause()
  await Promise.all([schedule.stop(), watch?.stop()])
  await started.runner.stop(graceMs)
  await queue.stop()
  await started.liveness.stop()
}
