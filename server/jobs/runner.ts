import { sql } from 'kysely'
import type pg from 'pg'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { claimJob, endStates, HeldError } from './claim.ts'
import { repeat, sleep, stamp, type Repeated } from './clock.ts'
import { queueOf } from './enqueue.ts'
import { StopError } from './failure.ts'
import type { WorkerLiveness } from './worker-liveness.ts'
import { heartbeatSeconds, leaseSeconds, type JobLimits } from './queue.ts'
import { runClaim } from './run.ts'
import type { RunEnvironment } from './run-parts.ts'
import { systemSession } from './session.ts'

/**
 * Interval at which a worker checks whether it still holds its jobs and whether they were cancelled. A cancel is noticed
 * within this time.
 */
const lookMs = 1000

/** The jobs currently running in this process. */
export interface Runner {
  /** Runs a job to its end. Rejects if it must be dispatched again: held by another worker, or interrupted. */
  run(job: string): Promise<void>
  /** Rolls back a cancelled job that no worker runs. Does nothing if one does. */
  rollBack(job: string): Promise<void>
  /** Names of the jobs running in this process. */
  running(): ReadonlySet<string>
  /** Checks the running jobs now instead of within a second. */
  look(): void
  start(): void
  /** Interrupts running jobs so that they resume after the next start; waits at most `graceMs`. */
  stop(graceMs: number): Promise<void>
}

/** Options of the runner. */
export interface RunnerOptions extends RunEnvironment {
  pool: pg.Pool
  liveness: WorkerLiveness
  limits: JobLimits
}

interface Active {
  controller: AbortController
  attempt: number
  settled: Promise<void>
}

/** Creates the runner of this process. */
export function createRunner(options: RunnerOptions): Runner {
  const { documents, db, clock, log, liveness, pool, queue } = options
  const active = new Map<string, Active>()
  let stopping = false
  let looking: Repeated | null = null
  let lastGoodLook = clock.now()
  let lastHeartbeat = clock.now()

  async function run(name: string): Promise<void> {
    if (stopping) throw new StopError('shutdown')
    if (active.has(name)) throw new HeldError(name)
    const controller = new AbortController()
    const entry: Active = { controller, attempt: 0, settled: Promise.resolve() }
    active.set(name, entry)
    const work = execute(name, entry)
    entry.settled = work.catch(() => undefined)
    try {
      await work
    } finally {
      active.delete(name)
    }
  }

  async function execute(name: string, entry: Active): Promise<void> {
    const liveWorkers = await liveness.liveWorkers(pool)
    const claim = await claimJob(documents, name, {
      worker: liveness.worker,
      liveWorkers,
      clock,
      definitions: options.definitions,
      limits: options.limits,
    })
    if (!claim) return
    entry.attempt = claim.job.attempt ?? 0
    if (active.size === 1) lastGoodLook = clock.now()
    try {
      await runTask(namedTask(`job ${claim.job.job_type}`), () => runClaim(claim, entry.controller, options))
    } catch (error) {
      if (!(error instanceof StopError)) throw error
      if (error.reason === 'shutdown') await hand(claim.job)
      if (error.reason !== 'lost') throw error
      log.warn('A job was taken over by another worker', { job: name })
    }
  }

  /** Returns an interrupted job to the queue, keeping the completed steps. */
  async function hand(job: Job): Promise<void> {
    const ref = await documents.transaction(systemSession(), async (tx) => {
      const now = await tx.get(JobDoctype, job.name, { lock: true })
      if (!now || now.attempt !== job.attempt || endStates.includes(now.status ?? '')) return null
      if (now.status === 'Running')
        await tx.update(JobDoctype, job.name, { status: 'Queued', heartbeat: null }, { hooks: false, activity: false })
      await sql`update easydash_job_run set worker = null where job = ${job.name}`.execute(tx.trx)
      return queueOf(tx, job.name)
    })
    if (ref) await queue.release(ref)
  }

  async function look(): Promise<void> {
    if (active.size === 0) {
      lastGoodLook = clock.now()
      return
    }
    try {
      await lookAtRuns()
      lastGoodLook = clock.now()
    } catch (error) {
      log.warn('The state of running jobs could not be read', { error })
      // Without the database, the lease can't be verified: stop before another worker can start the job.
      if (clock.now() - lastGoodLook > (leaseSeconds - 5) * 1000) abortAll(new StopError('lost'))
    }
  }

  async function lookAtRuns(): Promise<void> {
    const names = [...active].filter(([, entry]) => entry.attempt > 0).map(([name]) => name)
    if (names.length === 0) return
    // A job that was just parked or ended has no heartbeat, and gets none.
    const due = clock.now() - lastHeartbeat >= heartbeatSeconds * 1000
    const found = due
      ? await sql<{ name: string; attempt: number; status: string }>`
          update tab_job set heartbeat = case when heartbeat is null then null else ${stamp(clock.now())}::timestamp end from (values ${sql.join(names.map((name) => sql`(${name}, ${active.get(name)?.attempt ?? 0}::bigint)`))}) as mine (job, token)
          where tab_job.name = mine.job and tab_job.attempt = mine.token
          returning tab_job.name, attempt::int as attempt, status`.execute(db)
      : await sql<{ name: string; attempt: number; status: string }>`
          select name, attempt::int as attempt, status from tab_job where name in (${sql.join(names)})`.execute(db)
    if (due) lastHeartbeat = clock.now()
    const rows = new Map(found.rows.map((row) => [row.name, row]))
    for (const name of names) {
      const entry = active.get(name)
      const row = rows.get(name)
      if (!entry) continue
      if (!row || row.attempt !== entry.attempt) entry.controller.abort(new StopError('lost'))
      else if (row.status === 'Cancelling') entry.controller.abort(new StopError('cancel'))
    }
  }

  function abortAll(error: StopError): void {
    for (const entry of active.values()) entry.controller.abort(error)
  }

  return {
    run,
    async rollBack(name) {
      if (stopping || active.has(name)) return
      try {
        await run(name)
      } catch (error) {
        if (!(error instanceof HeldError)) log.warn('Cleaning up a cancelled job was interrupted', { job: name, error })
      }
    },
    running: () => new Set(active.keys()),
    look: () => looking?.soon(),
    start() {
      looking ??= repeat(clock, lookMs, look)
    },
    async stop(graceMs) {
      stopping = true
      await looking?.stop()
      abortAll(new StopError('shutdown'))
      const waited = new AbortController()
      await Promise.race([
        Promise.all([...active.values()].map((entry) => entry.settled)),
        sleep(clock, graceMs, waited.signal).catch(() => undefined),
      ])
      waited.abort(new StopError('shutdown'))
    },
  }
}
