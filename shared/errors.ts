import type { Sentence } from './sentence.ts'

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
  messages?: readonly { field: string; message: Sentence }[]
  /** What the person can do next. */
  nextAction?: Sentence
  /** Seconds until another try makes sense (rate limits). */
  retryAfterSeconds?: number
  /** Whether a job may try the failed step again. */
  retryable?: boolean
  cause?: unknown
}

/** The one error thrown on purpose. Everything else is a defect and answers 500 without details. */
export class AppError extends Error {
  readonly code: ErrorCode
  /** The message in parts, for every language; `message` is its English. */
  readonly sentence: Sentence
  readonly field: string | undefined
  readonly excType: string | undefined
  readonly messages: readonly { field: string; message: Sentence }[]
  readonly nextAction: Sentence | undefined
  readonly retryAfterSeconds: number | undefined
  readonly retryable: boolean
  constructor(code: ErrorCode, sentence: Sentence, details: ErrorDetails = {}) {
    super(sentence.text, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.sentence = sentence
    this.field = details.field
    this.excType = details.excType
    this.messages = details.messages ?? []
    this.nextAction = details.nextAction
    this.retryAfterSeconds = details.retryAfterSeconds
    this.retryable = details.retryable ?? false
  }
}
