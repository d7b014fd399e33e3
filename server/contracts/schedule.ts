/** A repeating piece of work that runs in one process of the installation at a time. */
export interface ScheduledWork {
  /** Unique; includes the machine if each machine has its own, for example `uploads.sweep x1`. */
  readonly name: string
  /** Seconds between the starts of two runs, plus random jitter of up to a tenth of it (at most a minute). */
  readonly everySeconds: number
  /** Also run at each startup, regardless of the last run. */
  readonly atStart?: boolean
  run(): Promise<void>
}

/** Work that is done for each of several machines, for each on a time of its own: one that is slow delays no other. */
export interface WorkOnHosts extends Omit<ScheduledWork, 'run'> {
  /** What is done, by machine (`engine_host`), on all that this process works on now. */
  hosts(): Promise<ReadonlyMap<string, () => Promise<void>>>
}

/** A periodic deletion of expired data, scheduled like other work. */
export interface Sweep extends Omit<ScheduledWork, 'run'> {
  /** Returns how many things were deleted; logged if there were any. */
  run(): Promise<number>
}
