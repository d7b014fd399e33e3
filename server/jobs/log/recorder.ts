import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'
import { JobDoctype, type JobStep, type KeptValues, type StepRetry } from '#shared/doctypes/job.ts'
import { formatTimestamp, type Clock } from '../clock.ts'
import { StopError } from '../failure.ts'
import { assertFence, writeSteps, type Fence } from '../fence.ts'
import { addKept } from '../kept-values.ts'
import type { LogBuffer } from './log-buffer.ts'
import { appendLines } from './log-store.ts'

/** Limits document updates sent to subscribers to four per second. */
const pauseMs = 250

/** Collects steps, percent and log of a run and writes them in few updates. */
export interface Recorder {
  readonly steps: JobStep[]
  line(text: string): void
  /** Completed fraction of a step, 0 to 1. */
  progress(key: string, fraction: number): void
  /** Keeps values with a running step. Throws if one can't be kept. */
  keep(key: string, values: KeptValues): void
  /** A running step is tried again. */
  retry(key: string, retry: StepRetry): void
  /** Commits the steps now; subscribers are notified with the next update. Throws StopError. */
  commit(): Promise<void>
  /** Stops automatic writes and waits for the current one: call it before the transaction that ends the run. */
  settle(): Promise<void>
  /** Writes the remaining lines inside the transaction that ends the run. */
  finish(tx: Tx): Promise<{ steps: JobStep[]; log_lines: number }>
  /** Closes the recorder; remaining lines, and what a step kept, are written if this attempt still holds the job. */
  close(): Promise<void>
}

/** Options of the recorder. */
export interface RecorderOptions {
  documents: Documents
  db: Db
  session: Session
  fence: Fence
  steps: JobStep[]
  buffer: LogBuffer
  clock: Clock
  log: Log
  /** Called if a write finds that the job was taken over or canceled. */
  onStop(error: StopError): void
}

/** Whether a step needs no run any more: it was done, or is left out. */
export function isOver({ status }: JobStep): boolean {
  return status === 'Done' || status === 'Skipped'
}

/** Percent of the whole job, weighted by step. Stays below 100 until the job ends. */
export function percentOf(steps: readonly JobStep[]): number {
  const whole = steps.reduce((sum, step) => sum + step.weight, 0)
  if (whole === 0) return 0
  const done = steps.reduce((sum, step) => sum + step.weight * (isOver(step) ? 1 : step.percent / 100), 0)
  return Math.min(99, Math.floor((done / whole) * 100))
}

/** Starts recording a run. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { documents, session, fence, steps, buffer, clock } = options
  let timer: unknown = null
  let lastWrite = Number.NEGATIVE_INFINITY
  let writing: Promise<void> = Promise.resolve()
  let closed = false
  /** Whether values were kept that no write has seen. */
  let hasUnwritten = false

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
    hasUnwritten = false
    const lines = buffer.take()
    try {
      await documents.transaction(session, async (tx) => {
        await assertFence(tx.trx, fence)
        await appendLines(tx.trx, fence.job, lines)
        const values = {
          steps: structuredClone(steps),
          percent: percentOf(steps),
          log_lines: buffer.last(),
          heartbeat: formatTimestamp(clock.now()),
        }
        await tx.update(JobDoctype, fence.job, values, { hooks: false, activity: false })
      })
    } catch (error) {
      buffer.putBack(lines)
      if (error instanceof StopError) {
        options.onStop(error)
        return
      }
      hasUnwritten = true
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
      buffer.add(text, formatTimestamp(clock.now()))
      touch()
    },
    progress(key, fraction) {
      const step = steps.find((one) => one.key === key)
      const percent = Math.round(Math.min(1, Math.max(0, fraction)) * 100)
      if (!step || step.status !== 'Running' || !(percent > step.percent)) return
      step.percent = percent
      touch()
    },
    keep(key, values) {
      const step = steps.find((one) => one.key === key)
      if (step?.status !== 'Running') return
      step.kept = addKept(step.kept ?? {}, values)
      hasUnwritten = true
      touch()
    },
    retry(key, retry) {
      const step = steps.find((one) => one.key === key)
      if (step?.status !== 'Running') return
      step.retry = retry
      touch()
    },
    async commit() {
      hasUnwritten = false
      await writeSteps(options.db, fence, steps, percentOf(steps))
      touch()
    },
    settle,
    async finish(tx) {
      // The transaction may be retried after a conflict, so the lines leave the buffer only on commit.
      const lines = buffer.take()
      buffer.putBack(lines)
      await appendLines(tx.trx, fence.job, lines)
      tx.afterCommit(() => {
        buffer.take()
        hasUnwritten = false
      })
      return { steps: structuredClone(steps), log_lines: buffer.last() }
    },
    async close() {
      await settle()
      const left = buffer.take()
      buffer.putBack(left)
      if (left.length > 0 || hasUnwritten) await write()
    },
  }
}
