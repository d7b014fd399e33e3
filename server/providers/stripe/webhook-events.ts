import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { isObject } from '#shared/parse-json.ts'
import type { StripeApi } from './stripe-client.ts'

/** What is read of an event: everything else is asked for again. */
export interface ProviderEvent {
  readonly id: string
  readonly type: string
  /** When it happened, in seconds since 1970; null if it does not say so. */
  readonly created: number | null
  /** Of the object that it is about; null if it is about no customer. */
  readonly customer: string | null
  /** Of what it is about, e.g. a dispute; null if it names none. */
  readonly payment: string | null
  /** A setup intent that has succeeded; null if it is about something else. */
  readonly setupIntent: string | null
}

/** Longest time between the signature and its arrival, in seconds. */
const toleranceSeconds = 300

/** Checks who sent an event, by the bytes that arrived. Throws `invalid` if it was not the provider, or not just now. */
export async function verifyEvent(
  api: StripeApi,
  body: Buffer,
  signature: string | undefined,
  now: number,
): Promise<ProviderEvent> {
  const stripe = await api.client()
  const header = signature ?? ''
  try {
    // The client accepts any time in the future.
    const signed = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(header)?.[1])
    if (!(signed * 1000 <= now + toleranceSeconds * 1000)) throw new Error('Signed in the future')
    const { webhookSecret } = api.settings
    const event = stripe.webhooks.constructEvent(body, header, webhookSecret, toleranceSeconds, undefined, now)
    const { id, type, data } = event
    if (typeof id !== 'string' || typeof type !== 'string') throw new Error('Not an event')
    const created = Number.isSafeInteger(event.created) ? event.created : null
    return { id, type, created, ...aboutOf(data?.object), setupIntent: setupIntentOf(type, data?.object) }
  } catch (error) {
    throw new AppError('invalid', msg`This is no signed event of the payment provider.`, { cause: error })
  }
}

function aboutOf(object: unknown): Pick<ProviderEvent, 'customer' | 'payment'> {
  if (!isObject(object)) return { customer: null, payment: null }
  const { object: kind, id, customer, payment_intent } = object
  return { customer: idIn(kind === 'customer' ? id : customer), payment: idIn(payment_intent) }
}

const setupIntentOf = (type: string, object: unknown): string | null =>
  type === 'setup_intent.succeeded' && isObject(object) ? idIn(object['id']) : null

/** A longer one is nobody's: ids at Stripe have at most 255 characters. */
const idIn = (value: unknown): string | null => (typeof value === 'string' && value.length <= 255 ? value : null)
