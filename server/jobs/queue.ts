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
const maxRetrySeconds = 5

const commonQueue = 'easydash'

/** Queue of the jobs that only the process holding this machine can run; null = any worker. */
export function queueName(host: string | null): string {
  // pg-boss allows word characters, hyphens, dots and slashes in names.
  return host ? `${commonQueue}/${host.replaceAll(/[^\w.-]/g, '-')}` : commonQueue
}

/** What the queue has to know about a job to dispatch it. */
export interface QueueEntry {
  job: string
  organization: string
  /** Remote server the job works on; null for none. */
  server: string | null
  /** Higher ones are dispatched first. */
  priority: number
  expireInSeconds: number
}

/** Maximum number of concurrent jobs across all processes. */
export interface JobLimits {
  /** Per organization, so that one organization never occupies all workers of a process. */
  readonly organization: number
  /** Per server. */
  readonly server: number
}

/** pg-boss tier for jobs limited by server. */
const serverTier = 'server'

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

/** The jobs' interface to pg-boss, which has a small connection pool of its own. */
export class Queue {
  readonly #options: QueueOptions
  readonly #boss: PgBoss
  /** Queues this process takes jobs from. */
  readonly #served: readonly string[]
  /** Queues that exist for certain. */
  readonly #known = new Set<string>()

  constructor(options: QueueOptions) {
    this.#options = options
    this.#served = [queueName(null), ...options.hosts.map(queueName)]
    this.#boss = openBoss(options)
  }

  /** Creates or updates the pg-boss schema and queues; `send` works from then on. */
  async start(): Promise<void> {
    await this.#boss.start()
    for (const name of this.#served) await this.#ensureQueue(name)
  }

  /** Starts dispatching jobs. If `onJob` rejects, the job is dispatched again one second later. */
  async work(onJob: (job: string) => Promise<void>): Promise<void> {
    const { concurrency, limits } = this.#options
    if (concurrency === 0) return
    for (const name of this.#served) {
      // One pg-boss worker per slot, so that all of them can be notified as soon as one is free: a slot waiting for
      // another organization's job must not depend on a notification still in transit.
      const workers: string[] = []
      for (let slot = 0; slot < concurrency; slot += 1) {
        const worker = await this.#boss.work<{ job: string }>(
          name,
          {
            batchSize: 1,
            localConcurrency: 1,
            groupConcurrency: { default: limits.organization, tiers: { [serverTier]: limits.server } },
            heartbeatRefreshSeconds: heartbeatSeconds,
            pollingIntervalSeconds: 2,
            notifyPollingIntervalSeconds: 2,
          },
          async ([entry]) => {
            try {
              if (entry) await onJob(entry.data.job)
            } finally {
              for (const each of workers) this.#boss.notifyWorker(each)
            }
          },
        )
        workers.push(worker)
      }
    }
  }

  /** Adds a job in the caller's transaction; a rollback removes it. */
  async send(trx: Trx, ref: QueueRef, entry: QueueEntry): Promise<void> {
    await this.#ensureQueue(ref.queue)
    const id = await this.#boss.send(
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
        retryDelayMax: maxRetrySeconds,
        db: within(trx),
      },
    )
    if (id !== ref.id) throw new Error(`The queue did not take the job ${entry.job}`)
  }

  /**
   * Removes a job, in the caller's transaction if given. The entry of a dead worker would otherwise count against the
   * limits.
   */
  async remove(trx: Trx | null, ref: QueueRef): Promise<void> {
    await this.#boss.cancel(ref.queue, ref.id, trx ? { db: within(trx) } : {})
  }

  /**
   * Completes a job's entry in the transaction that ends the job, so that it doesn't count against the limits after a crash.
   */
  async finish(trx: Trx, ref: QueueRef): Promise<void> {
    await this.#boss.complete(ref.queue, ref.id, null, { db: within(trx) })
  }

  /** Makes the job of a dead worker available immediately. Returns false if it is no longer in the queue. */
  async release(ref: QueueRef): Promise<boolean> {
    const [entry] = await this.#boss.findJobs(ref.queue, { id: ref.id })
    if (!entry) return false
    if (entry.state === 'active') await this.#boss.fail(ref.queue, ref.id, { message: 'worker died' })
    return entry.state === 'active' || entry.state === 'created' || entry.state === 'retry'
  }

  /** Stops dispatching jobs; running ones continue. */
  async pause(): Promise<void> {
    for (const name of this.#served) await this.#boss.offWork(name, { wait: false })
  }

  /** Closes pg-boss and its connections. */
  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: true })
  }

  async #ensureQueue(name: string): Promise<void> {
    if (this.#known.has(name)) return
    await this.#boss.createQueue(name, {
      policy: 'standard',
      notify: true,
      heartbeatSeconds: leaseSeconds,
      // Runs end by their own deadline; the queue only repeats jobs of dead workers.
      retryLimit: 10_000,
      retryDelay: 1,
      retentionSeconds: 30 * 86_400,
      deleteAfterSeconds: 3600,
    })
    this.#known.add(name)
  }
}

function openBoss({ connectionConfig, log }: QueueOptions): PgBoss {
  const boss = new PgBoss({
    ...(connectionConfig as object),
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
  return boss
}

/** Lets pg-boss write in the caller's transaction. */
function within(trx: Trx): BossDb {
  return {
    async executeSql(text, values) {
      const result = await trx.executeQuery(CompiledQuery.raw(text, values ?? []))
      return { rows: result.rows as never[] }
    },
  }
}
