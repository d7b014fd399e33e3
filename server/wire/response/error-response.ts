import { isTransientDatabaseError } from '#server/platform/database/transient-error.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { toDescriptor, msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** An error response: status, additional headers, body. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Record<string, unknown>
  /** One sentence for users. */
  readonly message: string
  /** An internal error, which must be logged in detail. */
  readonly defect: boolean
}

/** Context that affects an error response. */
export interface ErrorContext {
  requestId: string
  /** The call is about a document: denials are then sent as `_error_message`. */
  aboutDocument?: boolean
  /** Failed logins also have `message`. */
  login?: boolean
  /** The session named by the cookie has expired. */
  sessionExpired?: boolean
}

/** Default exception class and status by error code (wire contract, section 3). */
export const byCode: Readonly<Record<ErrorCode, readonly [excType: string, status: number]>> = {
  not_found: ['DoesNotExistError', 404],
  forbidden: ['PermissionError', 403],
  invalid: ['ValidationError', 417],
  conflict: ['DuplicateEntryError', 409],
  locked: ['DocumentLockedError', 417],
  limit_reached: ['ValidationError', 417],
  unauthorized: ['AuthenticationError', 401],
  rate_limited: ['RateLimitExceededError', 429],
  unavailable: ['SessionStopped', 503],
  unsupported: ['ValidationError', 417],
  gone: ['LinkExpired', 410],
  too_large: ['RequestEntityTooLarge', 413],
  csrf: ['CSRFTokenError', 400],
}

/** Statuses of exception classes; they override the status of the error code. */
export const byClass: ReadonlyMap<string, number> = new Map([
  ['AuthenticationError', 401],
  ['SessionExpired', 401],
  ['InvalidKeyError', 401],
  ['PermissionError', 403],
  ['DoesNotExistError', 404],
  ['PageDoesNotExistError', 404],
  ['MethodNotAllowed', 405],
  ['NameError', 409],
  ['DuplicateEntryError', 409],
  ['LinkExpired', 410],
  ['UnsupportedMediaType', 415],
  ['ValidationError', 417],
  ['MandatoryError', 417],
  ['DataError', 417],
  ['LinkExistsError', 417],
  ['LinkValidationError', 417],
  ['UniqueValidationError', 417],
  ['TimestampMismatchError', 417],
  ['InvalidEmailAddressError', 417],
  ['InvalidNameError', 417],
  ['CharacterLengthExceededError', 417],
  ['CannotChangeConstantError', 417],
  ['UpdateAfterSubmitError', 417],
  ['DocumentLockedError', 417],
  ['FrappeTypeError', 417],
  ['CSRFTokenError', 400],
  ['InvalidAuthorizationToken', 400],
  ['RateLimitExceededError', 429],
  ['TooManyRequestsError', 429],
  ['InReadOnlyMode', 503],
  ['SessionStopped', 503],
])

/**
 * Converts any thrown value to Frappe's error shape. Only `AppError` exposes its message; all others are reported as an
 * internal error.
 */
export function errorResponse(error: unknown, setting: ErrorContext): ErrorResponse {
  const known = asAppError(error)
  if (known === null) return defectResponse(setting)
  const [defaultClass, defaultStatus] = byCode[known.code]
  const excType = known.excType ?? defaultClass
  const body: Record<string, unknown> = {
    exc_type: excType,
    exception: `frappe.exceptions.${excType}: ${known.message}`,
    code: known.code,
    // Next to the message, not in it: Frappe's clients expect exact contents in `_server_messages`.
    message_i18n: toDescriptor(known.messages[0]?.message ?? known.localized),
  }
  if (known.field !== undefined) body['field'] = known.field
  if (known.nextAction !== undefined) {
    body['next_action'] = known.nextAction.text
    body['next_action_i18n'] = toDescriptor(known.nextAction)
  }
  if (known.retryAfterSeconds !== undefined) body['retry_after'] = known.retryAfterSeconds
  if (known.code === 'forbidden' && setting.aboutDocument) body['_error_message'] = asHtml(known.message)
  else body['_server_messages'] = serverMessages(errorMessages(known))
  if (known.code === 'unauthorized' && setting.login) body['message'] = known.message
  if (setting.sessionExpired) body['session_expired'] = 1
  return {
    status: byClass.get(excType) ?? defaultStatus,
    headers: known.retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(known.retryAfterSeconds)) },
    body,
    message: known.message,
    defect: false,
  }
}

/** A user-facing message in the wire format. */
export interface ServerMessage {
  message: string
  title: string
  indicator: 'red' | 'green' | 'blue'
  raise_exception?: 1
  field?: string
}

/** `_server_messages`: JSON text of a list of JSON texts. */
export function serverMessages(messages: readonly ServerMessage[]): string {
  return JSON.stringify(messages.map((one) => JSON.stringify(one)))
}

/**
 * Frappe's clients render messages as HTML, but error messages are plain text that may repeat user input. Escapes everything
 * that could start a tag or character reference.
 */
function asHtml(text: string): string {
  return text.replace(/&(?=#?\w+;)/g, '&amp;').replaceAll('<', '&lt;')
}

/** An error message in HTML, like all messages; its parts elsewhere are plain text. */
function errorMessage(localized: LocalizedMessage, title = 'Message'): ServerMessage {
  return {
    message: asHtml(localized.text),
    title,
    indicator: 'red',
    raise_exception: 1,
  }
}

function errorMessages(error: AppError): ServerMessage[] {
  if (error.messages.length === 0) return [errorMessage(error.localized)]
  return error.messages.map(({ field, message }) => ({ ...errorMessage(message), field }))
}

function asAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error
  if (!isTransientDatabaseError(error)) return null
  return new AppError('unavailable', msg`The service is busy or restarting. Try again in a moment.`, {
    cause: error,
    retryable: true,
    retryAfterSeconds: 2,
  })
}

function defectResponse(setting: ErrorContext): ErrorResponse {
  const localized = msg`Something went wrong on the server. Its log has the details under ${setting.requestId}.`
  const message = localized.text
  const body: Record<string, unknown> = {
    exc_type: 'InternalServerError',
    exception: `frappe.exceptions.InternalServerError: ${message}`,
    code: 'internal',
    message_i18n: toDescriptor(localized),
    _server_messages: serverMessages([errorMessage(localized, 'Server Error')]),
  }
  if (setting.sessionExpired) body['session_expired'] = 1
  return { status: 500, headers: {}, body, message, defect: true }
}
