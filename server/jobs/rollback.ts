import { JobDoctype } from '#shared/doctypes/job.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { sleep } from './clock.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { crashPointName } from './crash-point.ts'
import { DeadlineError, failureOf, isDatabaseLoss, messageOf, StopError } from './failure.ts'
import { contextOf, endJob, withEnd, type Run } from './run-parts.ts'
import { untilAborted } from './step-run.ts'

/** Timeout in seconds of one rollback attempt after a cancel. */
const cleanupSeconds = 60
const cleanupTries = 5

/** Rolls back a canceled job. If several attempts fail, the job ends as failed, with advice. */
export async function rollBack(run: Run): Promise<void> {
  const { definition, recorder, clock, fence, job, documents } = run
  fence.phase = 'cleanup'
  // What the step that was stopped has kept: rolling back may take another process.
  await recorder.commit()
  crashPoint(crashPointName(definition.type, 'cancel-begun'))
  let line: LocalizedMessage | null = null
  for (let attempt = 1; ; attempt += 1) {
    try {
      line = await undo(run)
      break
    } catch (error) {
      if (error instanceof StopError || isDatabaseLoss(error)) throw error
      recorder.line(`Cleaning up failed: ${messageOf(error)}`)
      if (attempt === cleanupTries) return failRollback(run, error)
      await sleep(clock, 2 ** (attempt - 1) * 1000)
    }
  }
  crashPoint(crashPointName(definition.type, 'cancel-undone'))
  const by = job.cancelled_by ?? (await readCanceledBy(run))
  const canceledBy = by ? await documents.transaction(run.session, (tx) => tx.get(UserDoctype, by)) : null
  const who = canceledBy?.full_name ?? by ?? msg`the system`
  await endJob(run, {
    status: 'Cancelled',
    outcome: line ? msg`Canceled by ${who}; ${line}` : msg`Canceled by ${who}`,
  })
}

/**
 * One rollback attempt. The run's own signal is already aborted by the cancel, so this uses a separate one that only
 * enforces the timeout.
 */
async function undo(run: Run): Promise<LocalizedMessage | null> {
  const { definition, clock } = run
  const late = new AbortController()
  const timer = clock.setTimeout(
    () => late.abort(new DeadlineError(msg`Cleaning up`, cleanupSeconds)),
    cleanupSeconds * 1000,
  )
  try {
    const work = Promise.resolve(definition.canceled?.(contextOf(run, late.signal, null)))
    return (await untilAborted(clock, work, late.signal)) ?? null
  } finally {
    clock.clearTimeout(timer)
  }
}

async function failRollback(run: Run, error: unknown): Promise<void> {
  const { definition, job, log } = run
  const failure = failureOf(error, msg`Cleaning up after the cancel`)
  let ended = failure
  try {
    const end = await definition.failed?.(contextOf(run, new AbortController().signal, null), failure)
    ended = withEnd(run, failure, end)
  } catch (problem) {
    if (problem instanceof StopError || isDatabaseLoss(problem)) throw problem
    log.error('A canceled job could not be put right', { job: job.name, type: definition.type, error: problem })
  }
  await endJob(run, { status: 'Failed', failure: ended })
}

async function readCanceledBy(run: Run): Promise<string | null> {
  const job = await run.documents.transaction(run.session, (tx) => tx.get(JobDoctype, run.job.name))
  return job?.cancelled_by ?? null
}
