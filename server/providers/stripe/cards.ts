import type { Stripe } from 'stripe'
import { askStripe, everything, idOf, isUnderWay, isUnknown, type StripeApi } from './stripe-client.ts'

/** Who pays, as invoices name them. */
export interface PayerDetails {
  readonly name: string
  readonly email: string
  readonly address: {
    readonly line1: string
    readonly line2: string
    readonly city: string
    readonly state: string
    readonly postal_code: string
    /** ISO 3166-1 alpha-2. */
    readonly country: string
  }
}

/** A card as it may be shown. */
export interface Card {
  readonly id: string
  readonly brand: string
  readonly last4: string
  readonly expMonth: number
  readonly expYear: number
  readonly isDefault: boolean
}

/** Metadata key of what we make, with the mark that was stored before. */
const markKey = 'easydash_mark'

/**
 * The customer with this mark, which is made if there is none. The idempotency key finds one that was just made, the search
 * one of days ago. Nothing else is sent with it, so that a repetition is the same request.
 */
export async function customerWithMark(api: StripeApi, organization: string, mark: string): Promise<string> {
  return askStripe(api, async (stripe) => {
    const [found] = (await stripe.customers.search({ query: `metadata['${markKey}']:'${mark}'`, limit: 1 })).data
    if (found) return found.id
    const made = await stripe.customers.create(
      { metadata: { [markKey]: mark, organization } },
      { idempotencyKey: `customer-${organization}-${mark}` },
    )
    return made.id
  })
}

/** Writes what invoices say about who pays. */
export async function updateCustomer(api: StripeApi, customer: string, payer: PayerDetails): Promise<void> {
  await askStripe(api, (stripe) => stripe.customers.update(customer, { ...payer }))
}

/** Lets a browser hand over a card, which never passes this server; returns what it needs for that. */
export async function makeSetupIntent(api: StripeApi, customer: string, organization: string): Promise<string> {
  const intent = await askStripe(api, (stripe) =>
    stripe.setupIntents.create({
      customer,
      usage: 'off_session',
      allowed_payment_method_types: ['card'],
      metadata: { organization },
    }),
  )
  if (!intent.client_secret) throw new Error('The setup intent has no secret.')
  return intent.client_secret
}

/** What became of a setup intent. */
export interface CardSetup {
  readonly customer: string | null
  readonly succeeded: boolean
  readonly method: string | null
  /** Whether `makeSetupIntent` made it: operators and subscriptions have others. */
  readonly isOurs: boolean
}

/** Reads a setup intent; null if the provider knows none of that id. */
export async function readSetupIntent(api: StripeApi, id: string): Promise<CardSetup | null> {
  try {
    const intent = await askStripe(api, (stripe) => stripe.setupIntents.retrieve(id))
    return {
      customer: idOf(intent.customer),
      succeeded: intent.status === 'succeeded',
      method: idOf(intent.payment_method),
      isOurs: intent.metadata?.['organization'] !== undefined,
    }
  } catch (error) {
    if (isUnknown(error)) return null
    throw error
  }
}

/** The cards of a customer, newest first. Null if the operator deleted the customer at the provider, for good. */
export async function readCards(api: StripeApi, customer: string): Promise<Card[] | null> {
  return askStripe(api, async (stripe) => {
    const payer = await stripe.customers.retrieve(customer)
    if (payer.deleted) return null
    const fallback = idOf(payer.invoice_settings.default_payment_method)
    const methods = await everything(stripe.paymentMethods.list({ customer, type: 'card', limit: 100 }))
    return methods.flatMap((one) => cardOf(one, fallback))
  })
}

function cardOf({ id, card }: Stripe.PaymentMethod, fallback: string | null): Card[] {
  if (!card) return []
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = card
  return [{ id, brand, last4, expMonth, expYear, isDefault: id === fallback }]
}

/**
 * Makes a card the one that pays. `intent`: the setup intent it was added with, which makes it so once (a day long), whoever asks
 * for it at the same time.
 */
export async function setDefaultCard(
  api: StripeApi,
  customer: string,
  method: string,
  intent: string | null = null,
): Promise<void> {
  const once = intent === null ? {} : { idempotencyKey: `default-${intent}` }
  try {
    await askStripe(api, (stripe) =>
      stripe.customers.update(customer, { invoice_settings: { default_payment_method: method } }, once),
    )
  } catch (error) {
    if (!isUnderWay(error)) throw error
  }
}

/** Takes a card off its customer, for good. */
export async function detachCard(api: StripeApi, method: string): Promise<void> {
  await askStripe(api, (stripe) => stripe.paymentMethods.detach(method))
}
