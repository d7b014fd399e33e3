import { sql } from 'kysely'
import type pg from 'pg'
import { formatTimestamp, type RepeatingTask } from './clock.ts'
import { StopError } from './failure.ts'
import { heartbeatSeconds, leaseSeconds, type JobLimits } from './queue.ts'
import type { RunEnvironment } from './run-parts.ts'
import type { WorkerLiveness } from './worker-liveness.ts'

/** Options of the runner. */
export interface RunnerOptions extends RunEnvironment {
  pool: pg.Pool
  liveness: WorkerLiveness
  limits: JobLimits
}

/** A job that runs in this process. */
export interface ActiveRun {
  controller: AbortController
  /** Its fencing token; 0 until it is claimed. */
  attempt: number
  /** Resolves when it has ended, however it ended. */
  settled: Promise<void>
}

/** State of the runner of this process. */
export interface RunnerContext {
  readonly options: RunnerOptions
  /** The running jobs by name. */
  readonly active: Map<string, ActiveRun>
  /** Whether no job may start any more. */
  stopping: boolean
  /** The repeated check of the running jobs; null before the start. */
  checks: RepeatingTask | null
  /** When the state of the running jobs was last known to be good, in milliseconds. */
  lastGoodCheck: number
  /** When heartbeats were last written, in milliseconds. */
  lastHeartbeat: number
}

/** Stops runs that were canceled or taken over, and writes their heartbeats when these are due. */
export async function checkActiveRuns(context: RunnerContext): Promise<void> {
  const { clock, log } = context.options
  if (context.active.size === 0) {
    context.lastGoodCheck = clock.now()
    return
  }
  try {
    await stopLostAndCanceled(context)
    context.lastGoodCheck = clock.now()
  } catch (error) {
    log.warn('The state of running jobs could not be read', { error })
    // Without the database, the lease can't be verified: stop before another worker can start the job.
    if (clock.now() - context.lastGoodCheck > (leaseSeconds - 5) * 1000) abortAllRuns(context, new StopError('lost'))
  }
}

/** Stops all running jobs with this reason. */
export function abortAllRuns(context: RunnerContext, error: StopError): void {
  for (const run of context.active.values()) run.controller.abort(error)
}

interface RunState {
  name: string
  attempt: number
  status: string
}

async function stopLostAndCanceled(context: RunnerContext): Promise<void> {
  const { active } = context
  const names = [...active].filter(([, run]) => run.attempt > 0).map(([name]) => name)
  if (names.length === 0) return
  const states = await readStates(context, names)
  for (const name of names) {
    const run = active.get(name)
    const state = states.get(name)
    if (!run) continue
    if (!state || state.attempt !== run.attempt) run.controller.abort(new StopError('lost'))
    else if (state.status === 'Cancelling') run.controller.abort(new StopError('cancel'))
  }
}

/** Reads the stored state of these jobs, in the statement that writes their heartbeats if these are due. */
async function readStates(context: RunnerContext, names: readonly string[]): Promise<Map<string, RunState>> {
  const { active } = context
  const { clock, db } = context.options
  const due = clock.now() - context.lastHeartbeat >= heartbeatSeconds * 1000
  // A job that was just parked or ended has no heartbeat, and gets none.
  const { rows } = due
    ? await sql<RunState>`
        update tab_job set heartbeat = case when heartbeat is null then null else ${formatTimestamp(clock.now())}::timestamp end from (values ${sql.join(names.map((name) => sql`(${name}, ${active.get(name)?.attempt ?? 0}::bigint)`))}) as mine (job, token)
        where tab_job.name = mine.job and tab_job.attempt = mine.token
        returning tab_job.name, attempt::int as attempt, status`.execute(db)
    : await sql<RunState>`
        select name, attempt::int as attempt, status from tab_job where name in (${sql.join(names)})`.execute(db)
  if (due) context.lastHeartbeat = clock.now()
  return new Map(rows.map((row) => [row.name, row]))
}
