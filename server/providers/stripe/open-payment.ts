import type { Stripe } from 'stripe'
import { vendorText } from '../provider-error.ts'
import { inUnits } from './money.ts'
import { askStripe, idOf, type StripeApi } from './stripe-client.ts'

/** A payment that is not made. */
export interface OpenPayment {
  readonly invoice: string
  readonly state: 'failed' | 'authentication_needed'
  readonly amount: number
  /** Upper case. */
  readonly currency: string
  /** Lets a browser confirm it; only while that is needed. */
  readonly clientSecret: string | null
  /** What the bank said, in words for the holder of the card. */
  readonly words: string | null
}

/** What became of the payment of an invoice; null if nothing is to be paid. */
export async function readOpenPayment(api: StripeApi, id: string): Promise<OpenPayment | null> {
  const invoice = await askStripe(api, (stripe) => stripe.invoices.retrieve(id, { expand: ['payments'] }))
  if (invoice.status !== 'open' || invoice.amount_remaining === 0) return null
  const intent = await intentOf(api, invoice)
  const isWaiting = intent?.status === 'requires_action'
  const currency = invoice.currency.toUpperCase()
  const said = vendorText(intent?.last_payment_error?.message)
  return {
    invoice: id,
    state: isWaiting ? 'authentication_needed' : 'failed',
    amount: inUnits(invoice.amount_remaining, currency),
    currency,
    clientSecret: isWaiting ? intent.client_secret : null,
    words: said === '' ? null : said,
  }
}

async function intentOf(api: StripeApi, { payments }: Stripe.Invoice): Promise<Stripe.PaymentIntent | null> {
  const open = payments?.data.find(({ status }) => status === 'open') ?? payments?.data[0]
  const id = idOf(open?.payment.payment_intent)
  return id === null ? null : askStripe(api, (stripe) => stripe.paymentIntents.retrieve(id))
}
