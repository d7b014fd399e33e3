import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { formatTimestamp, parseTimestamp, type Clock } from './clock.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { crashPointName } from './crash-point.ts'
import { writeOutcome, type JobOutcome } from './outcome.ts'
import { assertFence, type Fence } from './fence.ts'
import { recordDuration, type JobDurations } from './job-durations.ts'
import { keptBy } from './kept-values.ts'
import type { Queue } from './queue.ts'
import { startFirst } from './start-first.ts'
import { isOver, type Recorder } from './log/recorder.ts'
import type { FailureEnd, JobContext, JobDefinition, JobFailure } from '#server/contracts/job.ts'
import { failureAtEnd } from './failure.ts'

/** Dependencies of a run, provided by its worker. */
export interface RunEnvironment {
  documents: Documents
  db: Db
  definitions: ReadonlyMap<string, JobDefinition>
  queue: Queue
  clock: Clock
  log: Log
  /** How long finished jobs took, for estimates. */
  durations: JobDurations
}

/** State of one run. */
export interface Run extends RunEnvironment {
  job: Job
  definition: JobDefinition
  fence: Fence
  session: Session
  controller: AbortController
  recorder: Recorder
}

/** Context passed to the definition's functions; `signal` and `step` belong to the part that runs. */
export function contextOf(run: Run, signal: AbortSignal, step: string | null): JobContext {
  const { job, recorder, fence, session, documents } = run
  return {
    job: job.name,
    organization: job.organization,
    args: job.args ?? {},
    referenceName: job.reference_name ?? '',
    session,
    signal,
    log: (line) => recorder.line(line),
    progress: (fraction) => {
      if (step) recorder.progress(step, fraction)
    },
    keep(values) {
      if (step === null) throw new Error('Only a step can keep values')
      recorder.keep(step, values)
    },
    get kept() {
      return keptBy(recorder.steps)
    },
    transaction: (fn) =>
      documents.transaction(session, async (tx) => {
        await assertFence(tx.trx, fence)
        return fn(tx)
      }),
  }
}

/** The failure of a job whose definition says what became of its work; steps whose work is gone are marked. */
export function withEnd(
  { recorder, log, job, definition }: Run,
  failure: JobFailure,
  end: FailureEnd | void,
): JobFailure {
  if (end === 'undone')
    for (const step of recorder.steps) {
      if (isOver(step)) step.undone = true
      delete step.kept
    }
  if (typeof end === 'object')
    log.error('The work of a failed job could not be taken back', {
      job: job.name,
      type: definition.type,
      error: end.kept,
    })
  return failureAtEnd(failure, end)
}

/** Ends the job in one fenced transaction, together with the definition's own writes. Throws StopError. */
export async function endJob(run: Run, outcome: JobOutcome, also?: JobDefinition['done']): Promise<void> {
  const { job, definition, recorder, clock } = run
  await recorder.settle()
  const context = contextOf(run, run.controller.signal, null)
  if (outcome.status === 'Done') crashPoint(crashPointName(definition.type, 'before-done'))
  await context.transaction(async (tx) => {
    const said = await also?.call(definition, context, tx)
    await writeOutcome(run, tx, outcome.status === 'Done' && said ? { ...outcome, outcome: said } : outcome)
  })
  const { reference_doctype: doctype, reference_name: name } = job
  if (doctype && name) await startFirst(run.definitions, run.log, { doctype, name })
  if (outcome.status !== 'Done') return
  const seconds = (clock.now() - parseTimestamp(job.started ?? formatTimestamp(clock.now()))) / 1000
  recordDuration(run.durations, definition.type, seconds)
  crashPoint(crashPointName(definition.type, 'after-done'))
}
