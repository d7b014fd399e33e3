/** One line of a job's log. */
export interface LogLine {
  /** From 1, without gaps. */
  readonly n: number
  /** `YYYY-MM-DD HH:MM:SS.ffffff`, UTC. */
  readonly at: string
  readonly text: string
}

/** Lines after a cursor, as `get_job_logs` gives them. */
export interface LogPage {
  readonly lines: readonly LogLine[]
  /** Where to go on. */
  readonly cursor: number
  /** The job has ended and no line is left. */
  readonly done: boolean
}
