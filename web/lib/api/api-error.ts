import { described } from '../i18n/catalogue.ts'
import { errorMessage } from './error-message.ts'
import { translateSentence } from '../i18n/translation.ts'

/** Facts of a failed call beside its sentence. */
export interface ApiErrorFacts {
  /** 0 when no answer came at all (offline, server gone). */
  httpStatus: number
  /** Frappe's exception class, e.g. `ValidationError`; '' when unknown. */
  excType: string
  /** Our own code, e.g. `limit_reached`; '' when unknown. */
  code: string
  /** Field the error is about; forms show it there. */
  field: string | null
  /** Seconds until another try makes sense; null when the server said nothing. */
  retryAfter: number | null
  /** What the person can do next; null when the server said nothing. */
  nextAction: string | null
  /** The server's id of the request, for the log. */
  requestId: string | null
}

/** A call that failed. `message` is made for people by the rule of `error-message.ts`. */
export class ApiError extends Error {
  readonly httpStatus: number
  readonly excType: string
  readonly code: string
  readonly field: string | null
  readonly retryAfter: number | null
  readonly nextAction: string | null
  readonly requestId: string | null
  constructor(message: string, facts: Partial<ApiErrorFacts> = {}) {
    super(message)
    this.name = 'ApiError'
    this.httpStatus = facts.httpStatus ?? 0
    this.excType = facts.excType ?? ''
    this.code = facts.code ?? ''
    this.field = facts.field ?? null
    this.retryAfter = facts.retryAfter ?? null
    this.nextAction = facts.nextAction ?? null
    this.requestId = facts.requestId ?? null
  }
}

/** What people read when no answer came. */
export const offlineMessage = described('The server does not answer. Check the connection, then try again.')

/** What people read when something answered that is not the server: a proxy's page, half an answer. */
export const unreadableMessage = described(
  'Something other than the server answered. Check the connection, then try again.',
)

/** What people read when no answer came for a minute. */
export const tooSlowMessage = described(
  'The server took too long to answer. Look whether it was done before you try again.',
)

function string(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** The error of an answered request: its body, status and headers. */
export function errorFromBody(body: unknown, httpStatus: number, headers?: Headers): ApiError {
  const facts = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const retryAfter = Number(headers?.get('retry-after') ?? facts['retry_after'] ?? NaN)
  return new ApiError(errorMessage(facts), {
    httpStatus,
    excType: string(facts['exc_type']) ?? '',
    code: string(facts['code']) ?? '',
    field: string(facts['field']),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
    nextAction: translateSentence?.(facts['next_action_sentence']) ?? string(facts['next_action']),
    requestId: headers?.get('x-frappe-request-id') ?? null,
  })
}

/** Any thrown value as an `ApiError`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return new ApiError(offlineMessage)
  return new ApiError(errorMessage(error))
}
