import type { Session } from '#server/contracts/session.ts'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import { JobDoctype, type JobStep } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg, jobLabelMessage, serializeMessage } from '#shared/localized-message.ts'
import type { Claim } from './claim.ts'
import { rollBack } from './rollback.ts'
import { formatTimestamp, parseTimestamp } from './clock.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { crashPointName } from './crash-point.ts'
import {
  DeadlineError,
  errorMessage,
  failureFields,
  failureOf,
  isDatabaseLoss,
  notCleanedUp,
  stepOf,
  StopError,
  storedFailure,
  unforeseen,
} from './failure.ts'
import type { Fence } from './fence.ts'
import { createLogBuffer } from './log/log-buffer.ts'
import { logEnd } from './log/log-store.ts'
import { createRecorder, isOver } from './log/recorder.ts'
import { contextOf, endJob, withEnd, type Run, type RunEnvironment } from './run-parts.ts'
import { initiatorSession, systemSession } from './session.ts'
import { runStep, untilAborted } from './step-run.ts'
import type { JobContext, JobDefinition, JobFailure, JobStepDefinition, StepWait } from '#server/contracts/job.ts'
import { suspend } from './wait.ts'

/**
 * Runs a claimed job until it ends or is no longer held by this worker. Rejects with StopError `shutdown` or `lost`, or with
 * a database error; all other errors are recorded in the Job. The controller is aborted from outside with a StopError.
 */
export async function runClaim(claim: Claim, controller: AbortController, environment: RunEnvironment): Promise<void> {
  const { job } = claim
  const { documents, db, clock, log } = environment
  const fence: Fence = { job: job.name, attempt: job.attempt ?? 0, phase: claim.phase }
  const definition = environment.definitions.get(job.job_type) ?? unknownJob(job.job_type)
  let session: Session = systemSession('job', job.organization)
  let denied: AppError | null = null
  try {
    session = await initiatorSession(documents, job.owner, job.organization)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    denied = error
  }
  const recorder = createRecorder({
    documents,
    db,
    session,
    fence,
    clock,
    log,
    steps: structuredClone(job.steps ?? []),
    buffer: createLogBuffer(await logEnd(db, job.name)),
    onStop: (error) => controller.abort(error),
  })
  const run: Run = { ...environment, job, definition, fence, session, controller, recorder }
  try {
    if (claim.phase === 'cleanup') await rollBack(run)
    else await runSteps(run, denied)
  } finally {
    await recorder.close()
  }
}

function unknownJob(type: string): JobDefinition {
  return {
    type,
    label: () => type,
    deadlineSeconds: 60,
    cancel: { possible: true },
    steps: () =>
      Promise.reject(
        new AppError('unsupported', msg`This version does not know the job ${type}.`, {
          nextAction: msg`Run the version that started it.`,
        }),
      ),
  }
}

async function runSteps(run: Run, denied: AppError | null): Promise<void> {
  const { job, definition, controller, recorder, clock } = run
  crashPoint(crashPointName(definition.type, 'claimed'))
  const remaining = parseTimestamp(job.deadline ?? formatTimestamp(clock.now())) - clock.now()
  const deadline = clock.setTimeout(
    () =>
      controller.abort(
        new DeadlineError(
          jobLabelMessage(job.label ?? definition.type, job.reference_title),
          definition.deadlineSeconds,
        ),
      ),
    Math.max(0, remaining),
  )
  let current: string | null = null
  try {
    // The failure was recorded but the job not ended, because the process died in between. Only the end is missing.
    const before = recorder.steps.find((step) => step.status === 'Failed')
    const known = before ? storedFailure(job) : null
    if (known) {
      await endFailed(run, known)
      return
    }
    if (denied) throw denied
    const context = contextOf(run, controller.signal, null)
    const steps = await prepare(run, context)
    for (const step of steps) {
      const row = recorder.steps.find((one) => one.key === step.key) as JobStep
      if (isOver(row)) continue
      current = step.label
      const checkedFrom = clock.now()
      const wait = await runAndRecordStep(run, step, row, steps)
      if (wait) {
        await suspend(run, step, row, { ...wait, checkedFrom })
        return
      }
    }
    current = null
    await endJob(run, { status: 'Done' }, definition.done)
  } catch (error) {
    const reason: unknown = controller.signal.aborted ? controller.signal.reason : error
    if (reason instanceof StopError && reason.reason === 'cancel') await rollBack(run)
    else if (reason instanceof StopError || isDatabaseLoss(reason)) throw reason
    else await fail(run, reason, current)
  } finally {
    clock.clearTimeout(deadline)
  }
}

/** Checks the initiator's rights and aligns the recorded steps with the definition's. */
async function prepare(run: Run, context: JobContext): Promise<JobStepDefinition[]> {
  const { definition, recorder, clock, controller } = run
  await context.transaction(async (tx) => definition.authorize?.(context, tx))
  const steps = await untilAborted(clock, definition.steps(context), controller.signal)
  const known = new Map(recorder.steps.map((step) => [step.key, step]))
  recorder.steps.splice(
    0,
    recorder.steps.length,
    ...steps.map((step): JobStep => ({
      started: null,
      ended: null,
      percent: 0,
      status: 'Waiting',
      ...known.get(step.key),
      key: step.key,
      label: step.label,
      weight: step.weight ?? 1,
      shows: step.shows,
      continue_anyway: step.continueAnyway,
    })),
  )
  return steps
}

/** Checks the initiator's current rights, not those when the job started. Throws AppError `forbidden`. */
async function checkAgain(run: Run): Promise<void> {
  const { definition, job, documents, controller } = run
  const session = await initiatorSession(documents, job.owner, job.organization)
  const context = contextOf({ ...run, session }, controller.signal, null)
  await context.transaction(async (tx) => definition.authorize?.(context, tx))
}

/** Runs a step and records its intent and its end. If the step waits instead of ending, returns what it waits for. */
async function runAndRecordStep(
  run: Run,
  step: JobStepDefinition,
  row: JobStep,
  steps: readonly JobStepDefinition[],
): Promise<StepWait | null> {
  const { definition, recorder, clock, controller } = run
  const at = (moment: string) => crashPoint(crashPointName(definition.type, moment, step.key))
  if (step.destructive === true) await checkAgain(run)
  at('before-intent')
  if (step.isNeedless?.(contextOf(run, controller.signal, step.key)) === true) {
    Object.assign(row, { status: 'Skipped', ended: formatTimestamp(clock.now()) })
    await recorder.commit()
    return null
  }
  const begins = row.wait ? {} : { started: formatTimestamp(clock.now()), percent: 0 }
  Object.assign(row, { status: 'Running', ended: null, retry: null, ...begins })
  await recorder.commit()
  at('after-intent')
  const task = namedTask(`job ${definition.type}, step ${step.key}`)
  const started = parseTimestamp(row.started ?? formatTimestamp(clock.now()))
  let wait: StepWait | void
  try {
    wait = await runTask(task, () =>
      runStep(step, contextOf(run, controller.signal, step.key), clock, started, ({ attempt, of, error }) => {
        const { reason, reason_i18n } = serializeMessage('reason', errorMessage(error))
        recorder.retry(step.key, { attempt, of, reason: reason ?? '', reason_i18n })
      }),
    )
  } catch (error) {
    if (!step.skipped || controller.signal.aborted || error instanceof StopError || isDatabaseLoss(error)) throw error
    await skip(run, step, steps, error)
    return null
  }
  at('after-run')
  if (wait) return wait
  Object.assign(row, { status: 'Done', ended: formatTimestamp(clock.now()), percent: 100, wait: null, retry: null })
  await recorder.commit()
  at('after-record')
  return null
}

/** Goes on without a step that failed, and without the others that can be left out. */
async function skip(
  run: Run,
  step: JobStepDefinition,
  steps: readonly JobStepDefinition[],
  error: unknown,
): Promise<void> {
  const { job, definition, recorder, clock, log, controller } = run
  const failure = failureOf(error, stepOf(job, step.label), definition.nextAction?.bind(definition))
  const origin = unforeseen(error)
  if (origin !== null)
    log.warn('A step was skipped', { job: job.name, type: definition.type, step: step.key, error: origin })
  recorder.line(failure.message.text)
  await step.skipped?.(contextOf(run, controller.signal, step.key), failure)
  const left = new Set(steps.filter(({ skipped }) => skipped).map(({ key }) => key))
  const ended = formatTimestamp(clock.now())
  for (const row of recorder.steps)
    if (left.has(row.key) && !isOver(row)) Object.assign(row, { status: 'Skipped', ended, wait: null, retry: null })
  await recorder.commit()
}

/**
 * Records the failure, lets the feature restore a consistent state, then ends the job. After a crash in between, it resumes
 * here.
 */
async function fail(run: Run, error: unknown, step: string | null): Promise<void> {
  const { job, definition, recorder, clock, log } = run
  const failure = failureOf(error, step === null ? null : stepOf(job, step), definition.nextAction?.bind(definition))
  const origin = unforeseen(error)
  if (origin !== null) log.warn('A job failed', { job: job.name, type: definition.type, step, error: origin })
  recorder.line(failure.message.text)
  const row = recorder.steps.find((one) => one.status === 'Running') ?? recorder.steps.find((one) => !isOver(one))
  if (row)
    Object.assign(row, {
      status: 'Failed',
      retry: null,
      started: row.started ?? formatTimestamp(clock.now()),
      ended: formatTimestamp(clock.now()),
    })
  await recorder.settle()
  await contextOf(run, new AbortController().signal, null)
    .transaction(async (tx) => {
      await tx.update(
        JobDoctype,
        job.name,
        {
          steps: structuredClone(recorder.steps),
          ...failureFields(failure),
        },
        { hooks: false, activity: false },
      )
    })
    .catch((problem: unknown) => stopOnCancel(run, problem))
  if (run.fence.phase === 'cleanup') return rollBack(run)
  await endFailed(run, failure)
}

/** A cancel that arrives while the failure is being written takes precedence. */
function stopOnCancel(run: Run, problem: unknown): void {
  if (!(problem instanceof StopError) || problem.reason !== 'cancel') throw problem
  run.fence.phase = 'cleanup'
}

async function endFailed(run: Run, failure: JobFailure): Promise<void> {
  const { definition, log, job } = run
  let ended = failure
  try {
    const end = await definition.failed?.(contextOf(run, new AbortController().signal, null), failure)
    ended = withEnd(run, failure, end)
  } catch (error) {
    if (error instanceof StopError) return onStopWhileEnding(run, error)
    if (isDatabaseLoss(error)) throw error
    log.error('A failed job could not be put right', { job: job.name, type: definition.type, error })
    ended = notCleanedUp(failure, error)
  }
  try {
    await endJob(run, { status: 'Failed', failure: ended })
  } catch (error) {
    if (error instanceof StopError) return onStopWhileEnding(run, error)
    throw error
  }
}

async function onStopWhileEnding(run: Run, error: StopError): Promise<void> {
  if (error.reason !== 'cancel' || run.fence.phase === 'cleanup') throw error
  await rollBack(run)
}
