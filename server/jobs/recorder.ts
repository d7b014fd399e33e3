import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'
import { JobDoctype, type JobStep } from '#shared/doctypes/job.ts'
import { stamp, type Clock } from './clock.ts'
import { StopError } from './failure.ts'
import { holdFence, writeSteps, type Fence } from './fence.ts'
import type { LogBuffer } from './log-buffer.ts'
import { appendLines } from './log-store.ts'

/** At most four document updates a second reach the people who watch. */
const pauseMs = 250

/** What a run says about itself: steps, percent and log, gathered and written in few updates. */
export interface Recorder {
  readonly steps: JobStep[]
  line(text: string): void
  /** Share of a step that is done, 0 to 1. */
  progress(key: string, fraction: number): void
  /** Commits the steps now; subscribers hear of it with the next update. Throws StopError. */
  commit(): Promise<void>
  /** Stops writing by itself and waits for the write under way: call it before the transaction that ends the run. */
  settle(): Promise<void>
  /** Writes the lines that still wait, inside the transaction that ends the run. */
  finish(tx: Tx): Promise<{ steps: JobStep[]; log_lines: number }>
  /** Ends it; lines that still wait are written if the job is still ours. */
  close(): Promise<void>
}

/** What the recorder needs. */
export interface RecorderOptions {
  documents: Documents
  db: Db
  session: Session
  fence: Fence
  steps: JobStep[]
  buffer: LogBuffer
  clock: Clock
  log: Log
  /** The job is not ours any more, or was cancelled; found while writing. */
  onStop(error: StopError): void
}

/** Percent of the whole job from the weights of its steps; 100 is left to the end. */
export function percentOf(steps: readonly JobStep[]): number {
  const whole = steps.reduce((sum, step) => sum + step.weight, 0)
  if (whole === 0) return 0
  const done = steps.reduce(
    (sum, step) => sum + step.weight * (step.status === 'Done' || step.status === 'Skipped' ? 1 : step.percent / 100),
    0,
  )
  return Math.min(99, Math.floor((done / whole) * 100))
}

/** Starts recording a run. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { documents, session, fence, steps, buffer, clock } = options
  let timer: unknown = null
  let lastWrite = Number.NEGATIVE_INFINITY
  let writing: Promise<void> = Promise.resolve()
  let closed = false

  const touch = () => {
    if (closed || timer !== null) return
    timer = clock.setTimeout(
      () => {
        timer = null
        writing = writing.then(write)
      },
      Math.max(0, lastWrite + pauseMs - clock.now()),
    )
  }

  async function write(): Promise<void> {
    lastWrite = clock.now()
    const lines = buffer.take()
    try {
      await documents.transaction(session, async (tx) => {
        await holdFence(tx.trx, fence)
        await appendLines(tx.trx, fence.job, lines)
        const values = {
          steps: structuredClone(steps),
          percent: percentOf(steps),
          log_lines: buffer.last(),
          heartbeat: stamp(clock.now()),
        }
        await tx.update(JobDoctype, fence.job, values, { hooks: false, activity: false })
      })
    } catch (error) {
      buffer.putBack(lines)
      if (error instanceof StopError) {
        options.onStop(error)
        return
      }
      options.log.warn('The progress of a job could not be written', { error, job: fence.job })
      touch()
    }
  }

  async function settle(): Promise<void> {
    closed = true
    clock.clearTimeout(timer)
    await writing
  }

  return {
    steps,
    line(text) {
      buffer.add(text, stamp(clock.now()))
      touch()
    },
    progress(key, fraction) {
      const step = steps.find((one) => one.key === key)
      const percent = Math.round(Math.min(1, Math.max(0, fraction)) * 100)
      if (!step || step.status !== 'Running' || !(percent > step.percent)) return
      step.percent = percent
      touch()
    },
    async commit() {
      await writeSteps(options.db, fence, steps, percentOf(steps))
      touch()
    },
    settle,
    async finish(tx) {
      // The transaction may be repeated after a conflict: lines leave the buffer with its commit only.
      const lines = buffer.take()
      buffer.putBack(lines)
      await appendLines(tx.trx, fence.job, lines)
      tx.afterCommit(() => {
        buffer.take()
      })
      return { steps: structuredClone(steps), log_lines: buffer.last() }
    },
    async close() {
      await settle()
      const left = buffer.take()
      buffer.putBack(left)
      if (left.length > 0) await write()
    },
  }
}
