import { sql } from 'kysely'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { endedJobStatuses } from '#shared/rules/job-statuses.ts'
import { abortAllRuns, checkActiveRuns, type ActiveRun, type RunnerContext, type RunnerOptions } from './active-runs.ts'
import { claimJob, JobAlreadyClaimedError } from './claim.ts'
import { repeat, sleep } from './clock.ts'
import { queueOf } from './enqueue.ts'
import { StopError } from './failure.ts'
import { runClaim } from './run.ts'
import { systemSession } from './session.ts'

/**
 * Interval at which a worker checks whether it still holds its jobs and whether they were canceled. A cancel is noticed
 * within this time.
 */
const checkMs = 1000

/** The jobs currently running in this process. */
export interface Runner {
  /** Runs a job to its end. Rejects if it must be dispatched again: held by another worker, or interrupted. */
  run(job: string): Promise<void>
  /** Rolls back a canceled job that no worker runs. Does nothing if one does. */
  rollBack(job: string): Promise<void>
  /** Names of the jobs running in this process. */
  running(): ReadonlySet<string>
  /** Checks the running jobs now instead of within a second. */
  look(): void
  start(): void
  /** Interrupts running jobs so that they resume after the next start; waits at most `graceMs`. */
  stop(graceMs: number): Promise<void>
}

/** Creates the runner of this process. */
export function createRunner(options: RunnerOptions): Runner {
  const { clock } = options
  const context: RunnerContext = {
    options,
    active: new Map(),
    stopping: false,
    checks: null,
    lastGoodCheck: clock.now(),
    lastHeartbeat: clock.now(),
  }
  return {
    run: (job) => runJob(context, job),
    rollBack: (job) => rollBackCanceled(context, job),
    running: () => new Set(context.active.keys()),
    look: () => context.checks?.soon(),
    start() {
      context.checks ??= repeat(clock, checkMs, () => checkActiveRuns(context))
    },
    stop: (graceMs) => stopRunner(context, graceMs),
  }
}

async function runJob(context: RunnerContext, name: string): Promise<void> {
  const { active } = context
  if (context.stopping) throw new StopError('shutdown')
  if (active.has(name)) throw new JobAlreadyClaimedError(name)
  const run: ActiveRun = { controller: new AbortController(), attempt: 0, settled: Promise.resolve() }
  active.set(name, run)
  const work = claimAndRun(context, name, run)
  run.settled = work.catch(() => undefined)
  try {
    await work
  } finally {
    active.delete(name)
  }
}

async function claimAndRun(context: RunnerContext, name: string, run: ActiveRun): Promise<void> {
  const { documents, definitions, liveness, limits, clock, log, pool } = context.options
  const liveWorkers = await liveness.liveWorkers(pool)
  const claim = await claimJob(documents, name, { worker: liveness.worker, liveWorkers, clock, definitions, limits })
  if (!claim) return
  run.attempt = claim.job.attempt ?? 0
  if (context.active.size === 1) context.lastGoodCheck = clock.now()
  try {
    await runTask(namedTask(`job ${claim.job.job_type}`), () => runClaim(claim, run.controller, context.options))
  } catch (error) {
    if (!(error instanceof StopError)) throw error
    if (error.reason === 'shutdown') await returnToQueue(context, claim.job)
    if (error.reason !== 'lost') throw error
    log.warn('A job was taken over by another worker', { job: name })
  }
}

/** Returns an interrupted job to the queue, keeping the completed steps. */
async function returnToQueue(context: RunnerContext, job: Job): Promise<void> {
  const { documents, queue } = context.options
  const ref = await documents.transaction(systemSession(), async (tx) => {
    const now = await tx.get(JobDoctype, job.name, { lock: true })
    if (!now || now.attempt !== job.attempt || endedJobStatuses.includes(now.status ?? '')) return null
    if (now.status === 'Running')
      await tx.update(JobDoctype, job.name, { status: 'Queued', heartbeat: null }, { hooks: false, activity: false })
    await sql`update easydash_job_run set worker = null where job = ${job.name}`.execute(tx.trx)
    return queueOf(tx, job.name)
  })
  if (ref) await queue.release(ref)
}

async function rollBackCanceled(context: RunnerContext, name: string): Promise<void> {
  if (context.stopping || context.active.has(name)) return
  try {
    await runJob(context, name)
  } catch (error) {
    if (error instanceof JobAlreadyClaimedError) return
    context.options.log.warn('Cleaning up a canceled job was interrupted', { job: name, error })
  }
}

async function stopRunner(context: RunnerContext, graceMs: number): Promise<void> {
  context.stopping = true
  await context.checks?.stop()
  abortAllRuns(context, new StopError('shutdown'))
  const waited = new AbortController()
  await Promise.race([
    Promise.all([...context.active.values()].map((run) => run.settled)),
    sleep(context.options.clock, graceMs, waited.signal).catch(() => undefined),
  ])
  waited.abort(new StopError('shutdown'))
}
