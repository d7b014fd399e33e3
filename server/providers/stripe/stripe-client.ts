import type { Stripe } from 'stripe'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { msg } from '#shared/localized-message.ts'
import { vendorText, ProviderError } from '../provider-error.ts'

/** An account at Stripe, from the operator's settings. */
export interface StripeSettings {
  readonly secretKey: string
  readonly publishableKey: string
  readonly webhookSecret: string
  /** Where the API answers instead of Stripe's own address; for tests and the demo. */
  readonly apiBase: string | null
  /** Whether it calculates taxes and adds them to what plans cost. */
  readonly automaticTax: boolean
}

/** The account, reached by Stripe's own client. */
export interface StripeApi {
  readonly settings: StripeSettings
  /** The client, which is loaded when it is first used. */
  client(): Promise<Stripe>
}

/** Where the operator sees a customer at Stripe: payments, refunds, disputes. */
export function customerUrl(
  { settings: { apiBase, secretKey } }: Pick<StripeApi, 'settings'>,
  customer: string,
): string {
  const mode = secretKey.split('_')[1] === 'live' ? '' : '/test'
  return `${apiBase ?? 'https://dashboard.stripe.com'}${mode}/customers/${encodeURIComponent(customer)}`
}

/** A page of a hundred invoices with their lines. */
const maxBytes = 8 * 1024 * 1024
const timeoutMs = 20_000

/** Loading takes tenths of a second and memory, which installations without payments don't pay. */
export function openStripe(settings: StripeSettings): StripeApi {
  let opened: Promise<Stripe> | null = null
  return {
    settings,
    client() {
      opened ??= open(settings)
      return opened
    },
  }
}

async function open({ secretKey, apiBase }: StripeSettings): Promise<Stripe> {
  const { Stripe: Client } = await import('stripe')
  const base = apiBase === null ? null : new URL(apiBase)
  const protocol = base?.protocol === 'http:' ? 'http' : 'https'
  return new Client(secretKey, {
    // Bounds every answer, and takes only the operator's address.
    httpClient: Client.createFetchHttpClient(boundedFetch as typeof fetch),
    maxNetworkRetries: 2,
    timeout: timeoutMs,
    telemetry: false,
    ...(base && { host: base.hostname, port: base.port || (protocol === 'http' ? '80' : '443'), protocol }),
  })
}

async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const { status, headers, body } = await safeFetch(url, {
    profile: 'operator',
    method: init.method === 'POST' ? 'POST' : init.method === 'DELETE' ? 'DELETE' : 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    ...(typeof init.body === 'string' && init.body !== '' && { body: init.body }),
    ...(init.signal && { signal: init.signal }),
    maxBytes,
    timeoutMs,
  })
  return new Response(status === 204 ? null : new Uint8Array(body), { status, headers })
}

/** Asks the account. Throws `ProviderError`: with Stripe's words about a card, without them about anything else. */
export async function askStripe<T>(api: StripeApi, ask: (stripe: Stripe) => Promise<T>): Promise<T> {
  const stripe = await api.client()
  try {
    return await ask(stripe)
  } catch (error) {
    throw translated(error)
  }
}

/** What an error of Stripe's client has, as far as it is read here. */
interface ClientError {
  readonly type: string
  readonly code?: string
  readonly statusCode?: number
  readonly requestId?: string
  readonly message: string
}

const isClientError = (error: unknown): error is ClientError =>
  error instanceof Error && 'type' in error && typeof error.type === 'string' && error.type.startsWith('Stripe')

const vendor = 'Stripe'

function translated(error: unknown): unknown {
  if (!isClientError(error)) return error
  const { type, code = '', statusCode: status = 0, requestId = '' } = error
  // Not the error itself, which holds the request with its headers.
  const cause = new Error(`${type} ${code} ${status} ${requestId} ${vendorText(error.message)}`.trim())
  const failure = { vendor, status, vendorCode: code, cause }
  if (type === 'StripeCardError') {
    const words = vendorText(error.message)
    return new ProviderError('invalid', { ...failure, words, message: msg`The card was not charged: “${words}”` })
  }
  if (type === 'StripeConnectionError' || status >= 500)
    return new ProviderError('unavailable', {
      ...failure,
      retryable: true,
      message: msg`The payment provider does not answer.`,
      nextAction: msg`Try again in a few minutes. Nothing is charged twice.`,
    })
  if (type === 'StripeRateLimitError' || code === 'lock_timeout')
    return new ProviderError('rate_limited', {
      ...failure,
      retryable: true,
      message: msg`The payment provider is busy.`,
      nextAction: msg`Try again in a minute.`,
    })
  if (type === 'StripeAuthenticationError' || type === 'StripePermissionError')
    return new ProviderError('unavailable', {
      ...failure,
      message: msg`The payment provider does not accept the key of this installation.`,
      nextAction: msg`Its platform admin finds out more with “npm run easydash -- doctor”.`,
    })
  if (code === 'customer_tax_location_invalid')
    return new ProviderError('invalid', {
      ...failure,
      message: msg`The tax cannot be calculated for your address.`,
      nextAction: msg`Complete the billing profile, with country and postal code, and try again.`,
    })
  if (code === 'resource_missing')
    return new ProviderError('not_found', { ...failure, message: msg`The payment provider does not know this.` })
  return new ProviderError(type === 'StripeIdempotencyError' ? 'conflict' : 'unexpected', {
    ...failure,
    message: msg`The payment provider refused this.`,
    nextAction: msg`The log of the server says why.`,
  })
}

/** Whether an error is a bank's or Stripe's refusal of a card, which other cards may not meet. */
export const isCardRefusal = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.kind === 'invalid' && error.words !== ''

/** Whether the same request, by its idempotency key, is being carried out for somebody else right now. */
export const isUnderWay = (error: unknown): boolean =>
  error instanceof ProviderError && error.vendorCode === 'idempotency_key_in_use'

/** Whether Stripe knows no such thing. */
export const isUnknown = (error: unknown): boolean => error instanceof ProviderError && error.kind === 'not_found'

/** Whether Stripe answers nobody at the moment: it is not reached, is busy, or does not accept the key. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ProviderError && (error.kind === 'unavailable' || error.kind === 'rate_limited')

/** Everything in a list, page by page, at most 200 of them. */
export async function everything<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of pages) {
    all.push(one)
    if (all.length > 20_000) throw new ProviderError('unexpected', { vendor, status: 200 })
  }
  return all
}

/** Milliseconds of a time at Stripe, which counts seconds. */
export const atMs = (seconds: number): number => seconds * 1000

/** Id of what is named or included. */
export const idOf = (one: string | { readonly id: string } | null | undefined): string | null =>
  typeof one === 'string' ? one : (one?.id ?? null)
