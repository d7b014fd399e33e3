import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { PgBoss, type Db as BossDb } from 'pg-boss'
import type { Trx } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'

/** A job's queue and the remote server it works on (null for none); jobs on the same server share a limit. */
export interface QueueGroup {
  queue: string
  server: string | null
}

/** Queue entry of a job: the pg-boss queue and the entry's id. */
export interface QueueRef {
  queue: string
  id: string
}

/** Seconds without a heartbeat after which a worker counts as dead. */
export const leaseSeconds = 30
/** Seconds between two heartbeats of a worker. */
export const heartbeatSeconds = 10
/** Longest pause before a job that a worker gave back is taken again: the first is a second, each next one longer. */
const mostRetrySeconds = 5

const commonQueue = 'easydash'

/** Queue of the jobs that only the process holding this machine can run; null = any worker. */
export function queueName(host: string | null): string {
  // pg-boss allows word characters, hyphens, dots and slashes in names.
  return host ? `${commonQueue}/${host.replaceAll(/[^\w.-]/g, '-')}` : commonQueue
}

/** Interface to pg-boss used by jobs. */
export interface Queue {
  /** Creates or updates the pg-boss schema and queues; `send` works from then on. */
  start(): Promise<void>
  /** Starts dispatching jobs. If `onJob` rejects, the job is dispatched again one second later. */
  work(onJob: (job: string) => Promise<void>): Promise<void>
  /** Adds a job in the caller's transaction; a rollback removes it. */
  send(
    trx: Trx,
    ref: QueueRef,
    entry: { job: string; organization: string; server: string | null; priority: number; expireInSeconds: number },
  ): Promise<void>
  /**
   * Removes a job, in the caller's transaction if given. The entry of a dead worker would otherwise count against the
   * limits.
   */
  remove(trx: Trx | null, ref: QueueRef): Promise<void>
  /**
   * Completes a job's entry in the transaction that ends the job, so that it doesn't count against the limits after a crash.
   */
  finish(trx: Trx, ref: QueueRef): Promise<void>
  /** Makes the job of a dead worker available immediately. Returns false if it is no longer in the queue. */
  release(ref: QueueRef): Promise<boolean>
  /** Stops dispatching jobs; running ones continue. */
  pause(): Promise<void>
  stop(): Promise<void>
}

/** Maximum number of concurrent jobs across all processes. */
export interface JobLimits {
  /** Per organization, so that one organization never occupies all workers of a process. */
  readonly organization: number
  /** Per server. */
  readonly server: number
}

/** pg-boss tier for jobs limited by server. Stored with queued jobs, so the value keeps the name it had in earlier releases. */
const serverTier = 'machine'

/** Options of the queue. */
export interface QueueOptions {
  connectionConfig: Readonly<pg.ClientConfig>
  /** Machines whose jobs this process runs. */
  hosts: readonly string[]
  /** Concurrent jobs in this process; 0 = it only enqueues. */
  concurrency: number
  limits: JobLimits
  log: Log
}

/** Opens pg-boss with a small connection pool of its own. */
export function createQueue(options: QueueOptions): Queue {
  const { log } = options
  const queues = [queueName(null), ...options.hosts.map(queueName)]
  const boss = new PgBoss({
    ...(options.connectionConfig as object),
    application_name: 'easydash-queue',
    max: 2,
    schema: 'pgboss',
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    persistWarnings: false,
    persistQueueStats: false,
    monitorVacuum: false,
  })
  boss.on('error', (error) => log.warn('The job queue reported an error', { error }))
  boss.on('warning', (warning) => log.debug('The job queue warned', { warning: warning.message }))

  const within = (trx: Trx): BossDb => ({
    async executeSql(text, values) {
      const result = await trx.executeQuery(CompiledQuery.raw(text, values ?? []))
      return { rows: result.rows as never[] }
    },
  })
  const known = new Set<string>()
  async function ensureQueue(name: string): Promise<void> {
    if (known.has(name)) return
    await boss.createQueue(name, {
      policy: 'standard',
      notify: true,
      heartbeatSeconds: leaseSeconds,
      // Runs end by their own deadline; the queue only repeats jobs of dead workers.
      retryLimit: 10_000,
      retryDelay: 1,
      retentionSeconds: 30 * 86_400,
      deleteAfterSeconds: 3600,
    })
    known.add(name)
  }

  return {
    async start() {
      await boss.start()
      for (const name of queues) await ensureQueue(name)
    },
    async work(onJob) {
      if (options.concurrency === 0) return
      for (const name of queues) {
        // One pg-boss worker per slot, so that all of them can be notified as soon as one is free: a slot waiting for
        // another organization's job must not depend on a notification still in transit.
        const workers: string[] = []
        for (let slot = 0; slot < options.concurrency; slot += 1) {
          const worker = await boss.work<{ job: string }>(
            name,
            {
              batchSize: 1,
              localConcurrency: 1,
              groupConcurrency: {
                default: options.limits.organization,
                tiers: { [serverTier]: options.limits.server },
              },
              heartbeatRefreshSeconds: heartbeatSeconds,
              pollingIntervalSeconds: 2,
              notifyPollingIntervalSeconds: 2,
            },
            async ([entry]) => {
              try {
                if (entry) await onJob(entry.data.job)
              } finally {
                for (const each of workers) boss.notifyWorker(each)
              }
            },
          )
          workers.push(worker)
        }
      }
    },
    async send(trx, ref, entry) {
      await ensureQueue(ref.queue)
      const id = await boss.send(
        ref.queue,
        { job: entry.job },
        {
          id: ref.id,
          group:
            entry.server === null
              ? { id: entry.organization }
              : { id: `${serverTier} ${entry.server}`, tier: serverTier },
          priority: entry.priority,
          expireInSeconds: entry.expireInSeconds,
          // Jobs that a limit holds back come again less and less often, so that they keep no worker from others' jobs.
          retryBackoff: true,
          retryDelayMax: mostRetrySeconds,
          db: within(trx),
        },
      )
      if (id !== ref.id) throw new Error(`The queue did not take the job ${entry.job}`)
    },
    async remove(trx, ref) {
      await boss.cancel(ref.queue, ref.id, trx ? { db: within(trx) } : {})
    },
    async finish(trx, ref) {
      await boss.complete(ref.queue, ref.id, null, { db: within(trx) })
    },
    async release(ref) {
      const [entry] = await boss.findJobs(ref.queue, { id: ref.id })
      if (!entry) return false
      if (entry.state === 'active') await boss.fail(ref.queue, ref.id, { message: 'worker gone' })
      return entry.state === 'active' || entry.state === 'created' || entry.state === 'retry'
    },
    async pause() {
      for (const name of queues) await boss.offWork(name, { wait: false })
    },
    async stop() {
      await boss.stop({ graceful: false, close: true })
    },
  }
}
