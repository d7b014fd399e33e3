import type { FetchResponse, FetchOptions } from '#server/platform/network/fetch.ts'
import { AppError } from '#shared/errors.ts'
import type { ConnectionCheck, ConnectionName } from '#shared/doctypes/connections.ts'
import type { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { toDescriptor, plural, msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** Result of a connection test. */
export interface ConnectionTestResult extends Pick<ConnectionCheck, 'outcome' | 'status'> {
  /** May contain the vendor's words, never a credential. */
  readonly message: LocalizedMessage
  readonly advice: LocalizedMessage | null
}

/** A field of the Organization doctype. */
export type OrganizationField = keyof typeof OrganizationDoctype.fields

/** Values of organization fields by name, trimmed; '' if not set. */
export type ConnectionValues = Readonly<Record<string, string>>

/** Base URLs of the vendors: the operator's settings, else the vendors' own. Without trailing slash. */
export interface VendorEndpoints {
  readonly hetzner: string
  readonly digitalocean: string
  readonly awsEc2: string
  /** Null: AWS S3 in the bucket's region. */
  readonly awsS3: string | null
  readonly wpcloud: string
  readonly github: string
  readonly slack: string
}

/** Context of a connection test. */
export interface ConnectionTestContext {
  readonly endpoints: VendorEndpoints
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
  /** Organization fields it uses, including secrets. */
  readonly fields: readonly OrganizationField[]
  /** Fields required to run the test. */
  readonly required: readonly OrganizationField[]
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

/** A nested value as an object; `{}` if it is not one. */
export const nestedObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** A vendor's text made safe to show: one line, short, no control characters. '' for anything else. */
export function vendorText(value: unknown): string {
  if (typeof value !== 'string') return ''
  const line = value.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}

const seconds = (response: FetchResponse) => {
  const wait = Number(response.headers['retry-after'])
  return Number.isInteger(wait) && wait > 0 ? wait : null
}

/** Interprets an error response by its status; `vendorMessage` is the vendor's own message. */
export function rejectedResult(
  connectionTest: Pick<ConnectionTest, 'vendor'>,
  response: FetchResponse,
  vendorMessage = '',
): ConnectionTestResult {
  const { vendor } = connectionTest
  const { status } = response
  const mute = vendorMessage === ''
  if (status === 401)
    return {
      outcome: 'wrong_key',
      message: mute
        ? msg`${vendor} does not accept the key (401).`
        : msg`${vendor} does not accept the key (401): “${vendorMessage}”.`,
      advice: msg`It was revoked, has expired or was not copied whole. Make a new one and enter it here.`,
      status,
    }
  if (status === 403)
    return {
      outcome: 'wrong_scope',
      message: mute
        ? msg`${vendor} knows the key, but the key isn’t allowed to do this (403).`
        : msg`${vendor} knows the key, but the key isn’t allowed to do this (403): “${vendorMessage}”.`,
      advice: msg`Give the key read and write rights, or make a new one that has them.`,
      status,
    }
  if (status === 429) return limited(connectionTest, response)
  if (status >= 500)
    return {
      outcome: 'unexpected',
      message: mute
        ? msg`${vendor} has a problem of its own (${status}).`
        : msg`${vendor} has a problem of its own (${status}): “${vendorMessage}”.`,
      advice: msg`Nothing is wrong here. Try again later.`,
      status,
    }
  return {
    outcome: 'unexpected',
    message: mute
      ? msg`${vendor} gave an answer that was not understood (${status}).`
      : msg`${vendor} gave an answer that was not understood (${status}): “${vendorMessage}”.`,
    advice: msg`Try again. If it stays, check the address and the key.`,
    status,
  }
}

/** Rate limited by the vendor. */
export function limited(connectionTest: Pick<ConnectionTest, 'vendor'>, response: FetchResponse): ConnectionTestResult {
  const wait = seconds(response)
  return {
    outcome: 'rate_limited',
    message: msg`${connectionTest.vendor} received too many requests with this key.`,
    advice:
      wait === null
        ? msg`Wait some minutes, then test again.`
        : plural(wait, msg`Wait ${wait} second, then test again.`, msg`Wait ${wait} seconds, then test again.`),
    status: response.status,
  }
}

/** A success whose content is not what the vendor documents. */
export function unexpectedResult(
  connectionTest: Pick<ConnectionTest, 'vendor'>,
  response: FetchResponse,
): ConnectionTestResult {
  return {
    outcome: 'unexpected',
    message: msg`${connectionTest.vendor} gave an answer that was not understood (${response.status}).`,
    advice: msg`A proxy in between might have sent the response. Try again later.`,
    status: response.status,
  }
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
