import { isObject } from '#shared/parse-json.ts'
import { translateText } from '../i18n/catalog.ts'
import { errorMessage } from './error-message.ts'
import { translateMessage } from '../i18n/translation.ts'

/** Details of a failed call, besides its message. */
export interface ApiErrorDetails {
  /** 0 if there was no response (offline, server down). */
  httpStatus: number
  /** Frappe's exception class, e.g. `ValidationError`; '' when unknown. */
  excType: string
  /** Our own code, e.g. `limit_reached`; '' when unknown. */
  code: string
  /** Field the error is about; forms show it there. */
  field: string | null
  /** Seconds until a retry makes sense; null if the server didn't say. */
  retryAfter: number | null
  /** What the user can do next; null if the server didn't say. */
  nextAction: string | null
  /** The server's request ID, for the log. */
  requestId: string | null
}

/** A failed call. `message` is user-facing and built as described in `error-message.ts`. */
export class ApiError extends Error {
  readonly httpStatus: number
  readonly excType: string
  readonly code: string
  readonly field: string | null
  readonly retryAfter: number | null
  readonly nextAction: string | null
  readonly requestId: string | null
  constructor(message: string, details: Partial<ApiErrorDetails> = {}) {
    super(message)
    this.name = 'ApiError'
    this.httpStatus = details.httpStatus ?? 0
    this.excType = details.excType ?? ''
    this.code = details.code ?? ''
    this.field = details.field ?? null
    this.retryAfter = details.retryAfter ?? null
    this.nextAction = details.nextAction ?? null
    this.requestId = details.requestId ?? null
  }
}

/** Message shown when there was no response. */
export const offlineMessage = translateText('The server does not answer. Check the connection, then try again.')

/** Message shown when something other than the server responded, such as a proxy's page, or the response was cut off. */
export const unreadableMessage = translateText(
  'Something other than the server answered. Check the connection, then try again.',
)

/** Message shown when a request timed out after a minute. */
export const tooSlowMessage = translateText(
  'The server took too long to answer. Look whether it was done before you try again.',
)

function string(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** The error of a failed response, from its body, status and headers. */
export function errorFromBody(body: unknown, httpStatus: number, headers?: Headers): ApiError {
  const details = isObject(body) ? body : {}
  const retryAfter = Number(headers?.get('retry-after') ?? details['retry_after'] ?? NaN)
  return new ApiError(errorMessage(details), {
    httpStatus,
    excType: string(details['exc_type']) ?? '',
    code: string(details['code']) ?? '',
    field: string(details['field']),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
    nextAction: translateMessage?.(details['next_action_i18n']) ?? string(details['next_action']),
    requestId: headers?.get('x-frappe-request-id') ?? null,
  })
}

/** Converts any thrown value to an `ApiError`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return new ApiError(offlineMessage)
  return new ApiError(errorMessage(error))
}
