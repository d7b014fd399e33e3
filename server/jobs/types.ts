import type { Session, Tx } from '#server/documents/types.ts'

/** What a step of a job gets. */
export interface JobContext {
  /** The Job's name; also the operation id handed to engines. */
  readonly job: string
  readonly organization: string
  readonly args: Record<string, unknown>
  readonly referenceName: string
  /** The initiator's rights, re-read at start. */
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
  run(context: JobContext): Promise<void>
}

/** A kind of job. */
export interface JobDefinition {
  /** E.g. `site.create`. */
  readonly type: string
  /** For people, e.g. "Create blog". */
  label(input: { referenceTitle: string; args: Record<string, unknown> }): string
  /** Longest the whole job may take, in seconds. */
  readonly deadlineSeconds: number
  /** Steps in order; called again after a restart and must give the same keys. */
  steps(context: JobContext): Promise<JobStepDefinition[]>
  /** After the last step, in one fenced transaction. */
  done?(context: JobContext, tx: Tx): Promise<void>
  /** After a failure that is not retried: leaves the world consistent (status, lock, reason). Idempotent. */
  failed?(context: JobContext, error: { code: string; message: string; next_action: string }): Promise<void>
  /** Undo of everything after a cancel; idempotent; returns one line for people. */
  cancelled?(context: JobContext): Promise<string>
  /** What a failed job offers, e.g. "Free some disk space, then retry." */
  nextAction?(code: string): string
  /** Whether cancel is possible; else the reason shown beside the disabled button. */
  readonly cancel: { possible: true } | { possible: false; reason: string }
  /** Re-checked at start and before steps: the initiator must still be allowed to do this. Throws AppError. */
  authorize?(context: JobContext, tx: Tx): Promise<void>
}

/** Starting a job from a hook or action. */
export interface EnqueueRequest {
  type: string
  organization: string
  reference_doctype: string
  reference_name: string
  reference_title: string
  args?: Record<string, unknown>
}

/** What features use. */
export interface Jobs {
  /** Inserts the Job and its pg-boss entry in the caller's transaction; returns the Job's name. */
  enqueue(tx: Tx, request: EnqueueRequest): Promise<string>
}
