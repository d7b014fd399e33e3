import { AppError, type ErrorCode } from '#shared/errors.ts'
import { msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'

/**
 * Why a vendor refused. `wrong_key`: it doesn't know the credentials; `wrong_scope`: they lack permissions; `quota`: a limit
 * of the account; `out_of_stock`: no capacity for this type or region; `conflict`: something else is in the way, often only
 * for a moment; `unavailable`: a problem of the vendor's own; `unexpected`: an answer we can't interpret.
 */
export type ProviderErrorKind =
  | 'wrong_key'
  | 'wrong_scope'
  | 'rate_limited'
  | 'quota'
  | 'out_of_stock'
  | 'invalid'
  | 'conflict'
  | 'not_found'
  | 'unavailable'
  | 'unexpected'

/** On the wire none of them may look like an error of our own session or document (401, 403, 404). */
const codes: Readonly<Record<ProviderErrorKind, ErrorCode>> = {
  wrong_key: 'invalid',
  wrong_scope: 'invalid',
  rate_limited: 'rate_limited',
  quota: 'invalid',
  out_of_stock: 'unavailable',
  invalid: 'invalid',
  conflict: 'conflict',
  not_found: 'invalid',
  unavailable: 'unavailable',
  unexpected: 'unavailable',
}

/** A vendor's refusal. */
export interface VendorFailure {
  readonly vendor: string | LocalizedMessage
  /** HTTP status of the answer. */
  readonly status: number
  /** The vendor's code of the error; '' if it has none. */
  readonly vendorCode?: string
  /** The vendor's words, cleaned by `vendorText`; '' if there are none. */
  readonly words?: string
  /** Replaces the sentence of the kind. */
  readonly message?: LocalizedMessage | undefined
  /** Replaces the advice of the kind. */
  readonly nextAction?: LocalizedMessage | undefined
  readonly retryable?: boolean
  readonly retryAfterSeconds?: number | undefined
  /** For the log: what was wrong with the answer, and the vendor's id of the request. */
  readonly cause?: unknown
}

/** An error a vendor answered with. Contains the vendor's words, but never a credential. */
export class ProviderError extends AppError {
  readonly kind: ProviderErrorKind
  readonly vendor: string | LocalizedMessage
  readonly status: number
  readonly vendorCode: string
  readonly words: string
  constructor(kind: ProviderErrorKind, failure: VendorFailure) {
    const { status, words = '', retryAfterSeconds } = failure
    super(codes[kind], failure.message ?? sentence(kind, failure.vendor, status, words), {
      nextAction: failure.nextAction ?? advice(kind, status, retryAfterSeconds),
      retryable: failure.retryable ?? false,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      cause: failure.cause,
    })
    this.name = 'ProviderError'
    this.kind = kind
    this.vendor = failure.vendor
    this.status = status
    this.vendorCode = failure.vendorCode ?? ''
    this.words = words
  }
}

/** The error of an action that failed after its request had been accepted. `kind`: null if the vendor gives no known reason. */
export function actionFailure(kind: ProviderErrorKind | null, vendor: string, words: string): ProviderError {
  const unknown = {
    message: msg`${vendor} accepted the request, but could not carry it out: “${words}”.`,
    nextAction: msg`Try again. If it fails again, look for the reason in the console of ${vendor}.`,
  }
  return new ProviderError(kind ?? 'unavailable', { vendor, status: 200, words, ...(kind === null && unknown) })
}

/** Whether an error is that of an action: the machine it was asked of exists. */
export const isActionFailure = (error: unknown): boolean =>
  error instanceof ProviderError && error.status === 200 && error.kind !== 'unexpected'

/** What a status means if the body says nothing more. */
export function kindOfStatus(status: number): ProviderErrorKind {
  if (status === 401) return 'wrong_key'
  if (status === 403) return 'wrong_scope'
  if (status === 404) return 'not_found'
  if (status === 409) return 'conflict'
  if (status === 400 || status === 422) return 'invalid'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'unavailable' : 'unexpected'
}

function sentence(
  kind: ProviderErrorKind,
  vendor: string | LocalizedMessage,
  status: number,
  words: string,
): LocalizedMessage {
  const mute = words === ''
  const said = mute ? msg`HTTP ${status}` : msg`“${words}”`
  switch (kind) {
    case 'wrong_key':
      return mute
        ? msg`${vendor} does not accept the key (401).`
        : msg`${vendor} does not accept the key (401): “${words}”.`
    case 'wrong_scope':
      return mute
        ? msg`${vendor} knows the key, but the key isn’t allowed to do this (403).`
        : msg`${vendor} knows the key, but the key isn’t allowed to do this (403): “${words}”.`
    case 'rate_limited':
      return msg`${vendor} received too many requests with this key.`
    case 'quota':
      return msg`The account at ${vendor} has reached a limit: ${said}.`
    case 'out_of_stock':
      return msg`${vendor} has no capacity for this machine: ${said}.`
    case 'invalid':
      return msg`${vendor} rejected the request: ${said}.`
    case 'conflict':
      return msg`${vendor} can’t do this at the moment: ${said}.`
    case 'not_found':
      return msg`${vendor} can’t find this: ${said}.`
    case 'unavailable':
      return mute
        ? msg`${vendor} has a problem of its own (${status}).`
        : msg`${vendor} has a problem of its own (${status}): “${words}”.`
    case 'unexpected':
      return mute
        ? msg`${vendor} gave an answer that was not understood (${status}).`
        : msg`${vendor} gave an answer that was not understood (${status}): “${words}”.`
  }
}

function advice(kind: ProviderErrorKind, status: number, retryAfterSeconds: number | undefined): LocalizedMessage {
  switch (kind) {
    case 'wrong_key':
      return msg`It was revoked, has expired or was not copied whole. Make a new one and enter it in the organization’s settings.`
    case 'wrong_scope':
      return msg`Give the key read and write rights, or make a new one that has them.`
    case 'rate_limited':
      return retryAfterSeconds === undefined
        ? msg`Wait some minutes, then try again.`
        : plural(
            retryAfterSeconds,
            msg`Wait ${retryAfterSeconds} second, then try again.`,
            msg`Wait ${retryAfterSeconds} seconds, then try again.`,
          )
    case 'quota':
      return msg`Ask the vendor to raise the limit, or delete something there that you no longer need.`
    case 'out_of_stock':
      return msg`Choose another machine type or region, or try again later.`
    case 'invalid':
      return msg`Change the values, then try again.`
    case 'conflict':
      return msg`Try again in a few minutes.`
    case 'not_found':
      return msg`Check at the vendor whether it was deleted.`
    case 'unavailable':
      return msg`Nothing is wrong here. Try again later.`
    case 'unexpected':
      return status === 200
        ? msg`A proxy in between might have sent the response. Try again later.`
        : msg`Try again. If it stays, check the address and the key.`
  }
}

/** A vendor's text made safe to show: one line, short, no control characters. '' for anything else. */
export function vendorText(value: unknown): string {
  if (typeof value !== 'string') return ''
  const line = value.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}

/** Seconds of a `Retry-After` header, as number or date (RFC 9110, 10.2.3); undefined without one. */
export function retryAfterOf(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : text.endsWith('GMT') ? (Date.parse(text) - now) / 1000 : 0
  return seconds > 0 ? Math.ceil(seconds) : undefined
}
