/** Passed to a running step by its caller. */
export interface StepContext {
  /** Unique id of the operation (the Job's name). External resources are tagged with it. */
  operationId: string
  /** Adds a line to the job's log. The caller redacts and truncates. */
  log(line: string): void
  /** Progress of this step, 0 to 1. */
  progress(fraction: number): void
  /** Aborts when the job is canceled or exceeds its deadline. The step must then stop all its work and throw. */
  signal: AbortSignal
}

/** One named, idempotent unit of work of an engine operation. */
export interface EngineStep {
  /** Stable key, e.g. `copy_files`. */
  key: string
  /** Display label, e.g. "Copy WordPress files". */
  label: string
  /** Share of the operation's total time, used for the percentage. Default 1. */
  weight?: number
  /** Timeout of this step in seconds. Default 120. */
  deadlineSeconds?: number
  /** Irreversible: the permissions of the user who started it are checked again before it runs. */
  destructive?: boolean
  run(context: StepContext): Promise<void>
}
