/** One session of the caller, as `easydash.api.sessions.list` gives it. Times are UTC. */
export interface SessionRow {
  /** Names the session for `end`; it says nothing about the cookie. */
  readonly id: string
  readonly current: boolean
  /** In one phrase, e.g. "Firefox on Windows". */
  readonly device: string
  readonly browser: string | null
  readonly os: string | null
  /** Address it was started from. */
  readonly ip: string | null
  /** Two lower-case letters; '' when unknown. */
  readonly country_code: string
  readonly country: string
  readonly created: string
  readonly last_used: string
}
