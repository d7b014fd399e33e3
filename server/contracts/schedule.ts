/** A repeating piece of work that runs in one process of the installation at a time. */
export interface ScheduledWork {
  /** Unique; includes the machine if each machine has its own, for example `sites.reconcile local:x1`. */
  readonly name: string
  /** Seconds between the starts of two runs, plus random jitter of up to a tenth of it (at most a minute). */
  readonly everySeconds: number
  /** Also run at each startup, regardless of the last run. */
  readonly atStart?: boolean
  run(): Promise<void>
}

/** A periodic deletion of expired data, scheduled like other work. */
export interface Sweep extends Omit<ScheduledWork, 'run'> {
  /** Returns how many things were deleted; logged if there were any. */
  run(): Promise<number>
}
