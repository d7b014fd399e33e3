import type { FetchResponse, FetchOptions } from '#server/platform/network/fetch.ts'
import { kindOfStatus, ProviderError, retryAfterOf, type ProviderErrorKind } from '#server/providers/provider-error.ts'
import type { Providers } from '#server/providers/providers.ts'
import { AppError } from '#shared/errors.ts'
import type { ConnectionField } from '#shared/doctypes/connection.ts'
import type { ConnectionCheck, ConnectionName, ConnectionOutcome } from '#shared/doctypes/connections.ts'
import { toDescriptor, plural, msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** Result of a connection test. */
export interface ConnectionTestResult extends Pick<ConnectionCheck, 'outcome' | 'status'> {
  /** May contain the vendor's words, never a credential. */
  readonly message: LocalizedMessage
  readonly advice: LocalizedMessage | null
}

/** Values of a connection's fields by name, trimmed; '' if not set. */
export type ConnectionValues = Readonly<Record<string, string>>

/** Base URLs of the vendors: the operator's settings, else the vendors' own. Without trailing slash. */
export interface VendorEndpoints {
  /** Null: AWS S3 in the bucket's region. */
  readonly awsS3: string | null
  readonly wpcloud: string
  readonly github: string
  readonly slack: string
  /** Where addresses of incoming webhooks begin. */
  readonly slackWebhooks: string
}

/** Context of a connection test. */
export interface ConnectionTestContext {
  readonly endpoints: VendorEndpoints
  readonly providers: Providers
  /** Addresses we connect from, for vendors with IP allowlists. */
  readonly egressIps: readonly string[]
  readonly now: () => Date
  /**
   * Sends one request. `tenant`: the organization chose the URL. Throws AppError `unavailable`, `invalid` or `too_large`.
   */
  ask(
    url: URL,
    options: Pick<FetchOptions, 'method' | 'headers' | 'body'> & { tenant?: boolean },
  ): Promise<FetchResponse>
}

/** A connection test: the cheapest authenticated read at one vendor. */
export interface ConnectionTest {
  readonly name: ConnectionName
  /** Display name of the vendor, or a message. */
  readonly vendor: string | LocalizedMessage
  /** Fields it uses, including secrets. */
  readonly fields: readonly ConnectionField[]
  /** Fields a connection needs, to be tested as well. */
  readonly required: readonly ConnectionField[]
  /** Field that does instead of the required ones. */
  readonly alternative?: ConnectionField
  /** The field with the organization-chosen host, and the secrets sent there. */
  readonly destination?: { readonly field: string; readonly secrets: readonly string[] }
  /** May throw what `ask` throws. */
  run(values: ConnectionValues, context: ConnectionTestContext): Promise<ConnectionTestResult>
}

/** The result as returned and stored: messages in English and as parts. */
export function checkOf(
  { outcome, message, advice, status }: ConnectionTestResult,
  test: Pick<ConnectionCheck, 'took_ms' | 'checked_at' | 'stored'>,
): ConnectionCheck {
  return {
    outcome,
    message: message.text,
    message_i18n: toDescriptor(message),
    advice: advice && advice.text,
    advice_i18n: advice && toDescriptor(advice),
    status,
    ...test,
  }
}

/** A successful result. */
export const successResult = (message: LocalizedMessage, response: FetchResponse): ConnectionTestResult => ({
  outcome: 'ok',
  message,
  advice: null,
  status: response.status,
})

/** The body as a JSON object; null if it is anything else. */
export function jsonOf(response: FetchResponse): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(response.body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    // Invalid JSON is an expected response: the caller reports it as not understood.
    return null
  }
}

/** Outcomes of errors of the same name; all other errors are unexpected here. */
const outcomes: ReadonlyMap<ProviderErrorKind, ConnectionOutcome> = new Map([
  ['wrong_key', 'wrong_key'],
  ['wrong_scope', 'wrong_scope'],
  ['rate_limited', 'rate_limited'],
  ['unavailable', 'unexpected'],
  ['unexpected', 'unexpected'],
])

/** The result of an error a vendor answered with. */
export function failureResult(error: ProviderError): ConnectionTestResult {
  const { kind, vendor, status, words, localized } = error
  const outcome = outcomes.get(kind)
  if (outcome === undefined) return failureResult(new ProviderError('unexpected', { vendor, status, words }))
  return { outcome, message: localized, advice: adviceOf(error), status }
}

function adviceOf({ kind, nextAction, retryAfterSeconds: wait }: ProviderError): LocalizedMessage | null {
  if (kind === 'wrong_key')
    return msg`It was revoked, has expired or was not copied whole. Make a new one and enter it here.`
  if (kind !== 'rate_limited') return nextAction ?? null
  return wait === undefined
    ? msg`Wait some minutes, then test again.`
    : plural(wait, msg`Wait ${wait} second, then test again.`, msg`Wait ${wait} seconds, then test again.`)
}

/** Interprets an error response by its status; `words` is the vendor's own message. */
export function rejectedResult(
  { vendor }: Pick<ConnectionTest, 'vendor'>,
  response: FetchResponse,
  words = '',
): ConnectionTestResult {
  const { status } = response
  if (status === 429) return limited({ vendor }, response)
  return failureResult(new ProviderError(kindOfStatus(status), { vendor, status, words }))
}

/** Rate limited by the vendor. */
export function limited(
  { vendor }: Pick<ConnectionTest, 'vendor'>,
  { status, headers }: FetchResponse,
): ConnectionTestResult {
  const retryAfterSeconds = retryAfterOf(headers, Date.now())
  return failureResult(new ProviderError('rate_limited', { vendor, status, retryAfterSeconds }))
}

/** A success whose content is not what the vendor documents. */
export function unexpectedResult(
  { vendor }: Pick<ConnectionTest, 'vendor'>,
  { status }: FetchResponse,
): ConnectionTestResult {
  return failureResult(new ProviderError('unexpected', { vendor, status }))
}

/** Credentials that are invalid in themselves, detected without a request. */
export const invalidCredentialsResult = (message: LocalizedMessage): ConnectionTestResult => ({
  outcome: 'wrong_key',
  message,
  advice: msg`Copy it again, whole and without anything around it.`,
  status: null,
})

/** Result of a request without a response. Rethrows anything but a failed connection. */
export function unreachableResult(
  connectionTest: Pick<ConnectionTest, 'vendor' | 'destination'>,
  error: unknown,
): ConnectionTestResult {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'too_large')
    return {
      outcome: 'unexpected',
      message: msg`${connectionTest.vendor} gave an answer that was far too long.`,
      advice: msg`A proxy in between might have sent the response. Try again later.`,
      status: null,
    }
  // Problems of the address itself are described. All others give the same message, whether the name does not resolve,
  // resolves to an internal address, or nothing listens there.
  if (error.code === 'invalid')
    return {
      outcome: 'unreachable',
      message: msg`${connectionTest.vendor} was not reached: ${error.localized}`,
      advice: error.nextAction ?? msg`Check the address, then try again.`,
      status: null,
    }
  return {
    outcome: 'unreachable',
    message: msg`${connectionTest.vendor} was not reached.`,
    advice: connectionTest.destination
      ? msg`Check the address: it must lead to a public server. Then try again.`
      : msg`Check that this server can connect to the internet, then try again.`,
    status: null,
  }
}
