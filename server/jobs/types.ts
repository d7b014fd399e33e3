import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Sentence } from '#shared/sentence.ts'
import type { JobFailure } from './failure.ts'

/** What a step of a job gets. */
export interface JobContext {
  /** The Job's name; also the operation id handed to engines. */
  readonly job: string
  readonly organization: string
  readonly args: Record<string, unknown>
  readonly referenceName: string
  /** The initiator's rights, re-read at start; for `authorize` as they are at that moment. */
  readonly session: Session
  /** Aborts on cancel, deadline or loss of the lease. */
  readonly signal: AbortSignal
  log(line: string): void
  /** Progress of the running step, 0 to 1. */
  progress(fraction: number): void
  /** A transaction fenced by this attempt: throws (and rolls back) when another attempt took over. */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>
}

/** One idempotent step. Its status `Running` is committed before `run` is called: that is the recorded intent. */
export interface JobStepDefinition {
  key: string
  label: string
  weight?: number
  deadlineSeconds?: number
  /**
   * Takes something away that cannot be had again. The initiator's account and rights are read once more right before
   * it (docs/security.md): who was disabled, demoted or removed while the job worked does not get this far.
   */
  destructive?: boolean
  /**
   * Does the work. One that has to wait for somebody else resolves with what it waits for instead of sleeping: the worker
   * is free meanwhile, restarts included, and `run` is called again from its beginning. Its deadline goes on while it waits.
   */
  run(context: JobContext): Promise<StepWait | void>
}

/** What a step waits for without holding a worker. */
export interface StepWait {
  /** For people, e.g. "Waiting for the provider". */
  readonly reason: Sentence
  /** Look again after this many seconds, event or not: an event may be lost. At most a day. */
  readonly seconds: number
  /** Look again as soon as `Jobs.wake` is called with this name, e.g. `hetzner.action.4711`. */
  readonly event?: string
}

/** A kind of job. */
export interface JobDefinition {
  /** E.g. `site.create`. */
  readonly type: string
  /** For people, e.g. "Create blog". */
  label(input: { referenceTitle: string; args: Record<string, unknown> }): string
  /** Longest the whole job may take, in seconds. */
  readonly deadlineSeconds: number
  /** In the transaction that queues the job, first time and retry alike: shows on the reference what happens to it. */
  queued?(input: QueuedJob, tx: Tx): Promise<void>
  /** Steps in order; called again after a restart and must give the same keys. */
  steps(context: JobContext): Promise<JobStepDefinition[]>
  /** After the last step, in one fenced transaction. */
  done?(context: JobContext, tx: Tx): Promise<void>
  /** After a failure that is not retried: leaves the world consistent (status, reason). Idempotent. */
  failed?(context: JobContext, failure: JobFailure): Promise<void>
  /** Undo of everything after a cancel; idempotent; returns one line for people. */
  cancelled?(context: JobContext): Promise<Sentence>
  /** What a failed job offers, e.g. "Free some disk space, then retry." */
  nextAction?(code: string): Sentence
  /** Whether cancel is possible; else the reason shown beside the disabled button. */
  readonly cancel: { possible: true } | { possible: false; reason: string }
  /**
   * At the start, before each destructive step, and before a retry shows anything on the reference: the initiator must
   * (still) be allowed to do this. Throws AppError.
   */
  authorize?(context: Pick<JobContext, 'session' | 'referenceName'>, tx: Tx): Promise<void>
}

/** A job as it goes into the queue. */
export interface QueuedJob {
  readonly job: string
  readonly organization: string
  readonly referenceName: string
  readonly args: Record<string, unknown>
  /** Whether it failed before. */
  readonly retry: boolean
}

/** Starting a job from a hook or action. */
export interface EnqueueRequest {
  type: string
  organization: string
  reference_doctype: string
  reference_name: string
  reference_title: string
  args?: Record<string, unknown>
  /** Machine (`engine_host`) whose process alone can run it; absent = any worker. */
  host?: string | null
  /** Name of the remote server it works on: only so many jobs run on one at once. Absent: none, or this machine. */
  machine?: string | null
}

/** What features use. */
export interface Jobs {
  /**
   * Inserts the Job and its pg-boss entry in the caller's transaction; returns the Job's name. A reference with the
   * field `locked_by_job` is locked by the job until it ends. Throws AppError `locked` when another job holds it.
   */
  enqueue(tx: Tx, request: EnqueueRequest): Promise<string>
  /** Has the steps that wait for this event look again, once the caller's transaction is committed. */
  wake(tx: Tx, event: string): Promise<void>
}
