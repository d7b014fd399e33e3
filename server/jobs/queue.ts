import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { PgBoss, type Db as BossDb } from 'pg-boss'
import type { Trx } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'

/** Which queue a job waits in, and the server it works on (null for none): its jobs share a limit. */
export interface JobPlace {
  queue: string
  machine: string | null
}

/** Where a job waits: a queue of pg-boss and its entry there. */
export interface QueueRef {
  queue: string
  id: string
}

/** Seconds after which a worker that does not report counts as gone. */
export const leaseSeconds = 30
/** Seconds between two reports of a worker. */
export const heartbeatSeconds = 10

const commonQueue = 'easydash'

/** Queue of the jobs that only the process which holds this machine can run; null = any worker. */
export function queueName(host: string | null): string {
  // pg-boss allows word characters, hyphen, dot and slash in names.
  return host ? `${commonQueue}/${host.replaceAll(/[^\w.-]/g, '-')}` : commonQueue
}

/** pg-boss as the jobs use it. */
export interface Queue {
  /** Makes or updates pg-boss's own schema and queues; from then on `send` works. */
  start(): Promise<void>
  /** Begins to hand out jobs. `onJob` rejects to get the job again a second later. */
  work(onJob: (job: string) => Promise<void>): Promise<void>
  /** Adds a job in the caller's transaction: rolled back, it was never there. */
  send(
    trx: Trx,
    ref: QueueRef,
    entry: { job: string; organization: string; machine: string | null; priority: number; expireInSeconds: number },
  ): Promise<void>
  /** Takes a job out, in the caller's transaction when there is one. A vanished worker's entry would count against the limits. */
  remove(trx: Trx | null, ref: QueueRef): Promise<void>
  /** Ends a job's entry together with the job, in its transaction: after a crash it must not count against the limits. */
  finish(trx: Trx, ref: QueueRef): Promise<void>
  /** Makes a job whose worker is gone available at once. False when it is not in the queue any more. */
  release(ref: QueueRef): Promise<boolean>
  /** Stops handing out jobs; those handed out go on. */
  pause(): Promise<void>
  stop(): Promise<void>
}

/** How many jobs may run at once, in all processes together. */
export interface JobLimits {
  /** Of one organization, so that it never holds all workers of a process. */
  readonly organization: number
  /** On one server. */
  readonly machine: number
}

/** Tier of pg-boss for jobs that are counted by the server they work on. */
const machineTier = 'machine'

/** What the queue needs. */
export interface QueueOptions {
  connectionConfig: Readonly<pg.ClientConfig>
  /** Machines whose jobs this process runs. */
  hosts: readonly string[]
  /** Jobs at once in this process; 0 = none, it only sends. */
  concurrency: number
  limits: JobLimits
  log: Log
}

/** Opens pg-boss with a small pool of its own. */
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
      // A run ends by its own deadline; the queue repeats only what a vanished worker left behind.
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
        // One worker of pg-boss per slot, so that all can be told to look for their next job as soon as one is free: the
        // slot that waits for another organization's job must not depend on a notification that is still on its way.
        const workers: string[] = []
        for (let slot = 0; slot < options.concurrency; slot += 1) {
          const worker = await boss.work<{ job: string }>(
            name,
            {
              batchSize: 1,
              localConcurrency: 1,
              groupConcurrency: {
                default: options.limits.organization,
                tiers: { [machineTier]: options.limits.machine },
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
            entry.machine === null
              ? { id: entry.organization }
              : { id: `${machineTier} ${entry.machine}`, tier: machineTier },
          priority: entry.priority,
          expireInSeconds: entry.expireInSeconds,
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
