import type { LocalizedMessage } from './localized-message.ts'

/** All error codes; `wire` maps each to Frappe's HTTP status and `exc_type`. */
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

/** Additional details of an error. All are safe to show to the caller. */
export interface ErrorDetails {
  /** The field the error is about; forms show the error there. */
  field?: string
  /** Frappe's exception class if it is more specific than the code's default, for example `MandatoryError`. */
  excType?: string
  /** One message per invalid field if there are several (each becomes a server message). */
  messages?: readonly { field: string; message: LocalizedMessage }[]
  /** What the user can do next. */
  nextAction?: LocalizedMessage
  /** Seconds to wait before retrying (rate limits). */
  retryAfterSeconds?: number
  /** Whether a job can retry the failed step. */
  retryable?: boolean
  cause?: unknown
}

/** The only error thrown on purpose. Any other error is a bug and results in a 500 response without details. */
export class AppError extends Error {
  readonly code: ErrorCode
  /** The message as id and values, for translation; `message` is its English text. */
  readonly localized: LocalizedMessage
  readonly field: string | undefined
  readonly excType: string | undefined
  readonly messages: readonly { field: string; message: LocalizedMessage }[]
  readonly nextAction: LocalizedMessage | undefined
  readonly retryAfterSeconds: number | undefined
  readonly retryable: boolean
  constructor(code: ErrorCode, localized: LocalizedMessage, details: ErrorDetails = {}) {
    super(localized.text, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.localized = localized
    this.field = details.field
    this.excType = details.excType
    this.messages = details.messages ?? []
    this.nextAction = details.nextAction
    this.retryAfterSeconds = details.retryAfterSeconds
    this.retryable = details.retryable ?? false
  }
}
