import type { Session } from './session.ts'
import type { ActivityEntry, Reference, Tx } from './transaction.ts'
import type { KeptValues, ShownValue } from '#shared/doctypes/job.ts'
import type { LocalizedMessage } from '#shared/localized-message.ts'

/** Arguments of a job whose type is not known at compile time. */
type JobArgs = Record<string, unknown>

/** Context passed to a job's steps. `A`: the arguments it was enqueued with. */
export interface JobContext<A = JobArgs> {
  /** The Job's name; also the operation id passed to engines. */
  readonly job: string
  readonly organization: string
  readonly args: A
  readonly referenceName: string
  /** The initiator's rights, read again at the start; in `authorize`, those at that moment. */
  readonly session: Session
  /** Aborts on cancel, deadline or loss of the lease. */
  readonly signal: AbortSignal
  log(line: string): void
  /** Progress of the running step, 0 to 1. */
  progress(fraction: number): void
  /**
   * Keeps what the running step made, for later steps and for `failed` and `canceled`. Stored with the next write of the step, at the
   * latest the one that marks it Done or Failed, or when the process is stopped in order: one that dies before loses it, so what a step made must also be found by the
   * job's name. At most 20 values per step, named like `server_id`, texts up to 500 characters. Throws if one can't be kept.
   */
  keep(values: KeptValues): void
  /** All values that were kept so far: by other steps, and by earlier attempts of this one and of the job. */
  readonly kept: KeptValues
  /** A transaction fenced by this attempt: throws (and rolls back) if another attempt took over. */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>
}

/** One idempotent step. Its status `Running` is committed before `run` is called; this is the recorded intent. */
export interface JobStepDefinition {
  key: string
  label: string
  weight?: number
  deadlineSeconds?: number
  /**
   * Irreversible. The initiator's account and rights are checked again right before it (docs/security.md), so that a user
   * who was disabled, demoted or removed while the job ran can't get this far.
   */
  destructive?: boolean
  /** The kept values that the drawer shows below the step. */
  shows?: readonly ShownValue[]
  /**
   * Those who can retry the job can continue without this step, while it waits or after it failed. What that means, shown before they
   * confirm, for example "The server is used without knowing its size."
   */
  continueAnyway?: string
  /**
   * If it fails, the job goes on without it and without its other steps that have this and are not over: they are shown as skipped, the
   * error is in the log. Called before that is recorded, to put things right; can be called again.
   */
  skipped?(context: JobContext, failure: JobFailure): Promise<void>
  /** Whether an earlier step left it nothing to do: it is shown as skipped then, and not run. */
  isNeedless?(context: JobContext): boolean
  /**
   * Does the work. A step that depends on an external event returns what it waits for instead of sleeping: this frees the
   * worker, survives restarts, and `run` is called again from its beginning. The deadline keeps running while it waits.
   */
  run(context: JobContext): Promise<StepWait | void>
}

/** What a step waits for without occupying a worker. */
export interface StepWait {
  /** For users, for example "Waiting for the provider". */
  readonly reason: LocalizedMessage
  /** Check again after this many seconds even without an event, because events can be lost. At most one day. */
  readonly seconds: number
  /** Check again as soon as `Jobs.wake` is called with this name, also during `run`, for example `hetzner.action.4711`. */
  readonly event?: string
}

/** Failure of a job as shown to users. */
export interface JobFailure {
  /** A code of `shared/errors.ts`. */
  code: string
  message: LocalizedMessage
  nextAction: LocalizedMessage
}

/**
 * What became of the work of a failed job. `undone`: all of it was taken back, so a retry begins with the first step and nothing is
 * kept. `finished`: it was
 * complete, and only what came after it failed. `unknown`: one of both. `kept`: it could not be taken back, because of this error.
 */
export type FailureEnd = 'undone' | 'finished' | 'unknown' | { readonly kept: unknown }

/** A document that a job is about besides its reference, as entries of the activity log name it. */
export type JobSubject = Pick<
  ActivityEntry,
  'action' | 'detail' | 'reference_doctype' | 'reference_name' | 'reference_title' | 'reference_address'
>

/** A job type. `A`: the arguments it is enqueued with. */
export interface JobDefinition<A = JobArgs> {
  /** For example `site.create`. */
  readonly type: string
  /** For users, for example "Create blog". */
  label(input: { referenceTitle: string; args: A }): string
  /** What its entry in the activity log says after the wording, for example the name of a plugin. */
  detail?(args: A): LocalizedMessage
  /** Another document it is about, which has entries of its own in the activity log: for example the site that is copied. */
  about?(args: A): JobSubject | null
  /** Maximum duration of the whole job in seconds. */
  readonly deadlineSeconds: number
  /** Runs in the transaction that enqueues the job, also on retry: updates the reference to show what is happening to it. */
  queued?(input: QueuedJob<A>, tx: Tx): Promise<void>
  /**
   * Called when a job that held a document has ended, and before one that waited for it takes its turn: starts this job if it is due
   * there, for one that must neither be late nor queue up behind jobs that wait.
   */
  comesFirst?(reference: { readonly doctype: string; readonly name: string }): Promise<void>
  /** Steps in order. Called again after a restart and must return the same keys. */
  steps(context: JobContext<A>): Promise<JobStepDefinition[]>
  /** Runs after the last step, in one fenced transaction. Returns what came of it, if there is more to say than that it is done. */
  done?(context: JobContext<A>, tx: Tx): Promise<LocalizedMessage | void>
  /**
   * Runs after a failure that isn't retried: leaves a consistent state (status, reason). Idempotent. Says what became of the work of
   * the steps before, if not just what they left.
   */
  failed?(context: JobContext<A>, failure: JobFailure): Promise<FailureEnd | void>
  /** Rolls back everything after a cancel. Idempotent. Returns one line for users. */
  canceled?(context: JobContext<A>): Promise<LocalizedMessage>
  /** Advice for a failed job, for example "Free some disk space, then retry." */
  nextAction?(code: string): LocalizedMessage
  /** Whether the job can be canceled; if not, the reason shown next to the disabled button. */
  readonly cancel: { possible: true } | { possible: false; reason: string }
  /**
   * Checks that the initiator is (still) allowed to do this: at the start, before each destructive step, and before a retry
   * changes the reference. Throws AppError. Must ask within `tx` (`loadFor`): a call of the store would wait for a second
   * connection of the database.
   */
  authorize?(context: Pick<JobContext<A>, 'session' | 'referenceName'>, tx: Tx): Promise<void>
}

/** A job being enqueued. */
export interface QueuedJob<A = JobArgs> {
  readonly job: string
  readonly organization: string
  readonly referenceName: string
  readonly args: A
  /** Whether it is a retry after a failure. */
  readonly retry: boolean
}

/** Request to start a job from a hook or action. */
export interface EnqueueRequest extends Reference {
  type: string
  organization: string
  args?: Record<string, unknown>
  /** Machine (`engine_host`) whose process must run it. Default: any worker. */
  host?: string | null
  /** Name of the server it works on, which it shares with other jobs that do. A job of the server itself holds it alone. */
  server?: string | null
  /** Whether that is another machine: the number of concurrent jobs on it is limited. */
  remote?: boolean
}

/** Interface for features. */
export interface Jobs {
  /**
   * Inserts the Job and its pg-boss entry in the caller's transaction and returns the Job's name. Until the job ends, it holds a
   * reference with the field `locked_by_job` alone, and shares its server. Throws LockedError, naming the job, if another one is in
   * the way: an action with `job` then waits for it.
   */
  enqueue(tx: Tx, request: EnqueueRequest): Promise<string>
  /**
   * Starts a failed job again from its first step, with other arguments and the caller's rights; nothing is kept of its steps. Throws
   * `invalid` if it has not failed.
   */
  startOver(tx: Tx, job: string, args: JobArgs): Promise<void>
  /**
   * Resumes the steps that wait for this event, once the caller's transaction is committed. Names are shared by all
   * organizations: an event that a machine sends must be named after what its token is for, and only once it is known to be
   * real, or strangers make jobs check again and again.
   */
  wake(tx: Tx, event: string): Promise<void>
}
