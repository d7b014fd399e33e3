/** The closed set of error codes; `wire` maps each to Frappe's status and `exc_type`. */
export type ErrorCode =
  | 'not_found'
  | 'forbidden'
  | 'invalid'
  | 'conflict'
  | 'locked'
  | 'limit_reached'
  | 'unauthorized'
  | 'rate_limited'
  | 'unavailable'
  | 'unsupported'
  | 'gone'
  | 'too_large'
  | 'csrf'

/** Further facts of an error. All are safe to show to the caller. */
export interface ErrorDetails {
  /** The field the error is about; forms show it there. */
  field?: string
  /** Frappe's exception class where it is more exact than the code's default, e.g. `MandatoryError`. */
  excType?: string
  /** One message per field where several are wrong at once (each becomes a server message). */
  messages?: readonly { field: string; message: string }[]
  /** One sentence: what the person can do next. */
  nextAction?: string
  /** Seconds until another try makes sense (rate limits). */
  retryAfterSeconds?: number
  /** Whether a job may try the failed step again. */
  retryable?: boolean
  cause?: unknown
}

/** The one error thrown on purpose. Everything else is a defect and answers 500 without details. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly excType: string | undefined
  readonly messages: readonly { field: string; message: string }[]
  readonly nextAction: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly retryable: boolean
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.field = details.field
    this.excType = details.excType
    this.messages = details.messages ?? []
    this.nextAction = details.nextAction
    this.retryAfterSeconds = details.retryAfterSeconds
    this.retryable = details.retryable ?? false
  }
}
