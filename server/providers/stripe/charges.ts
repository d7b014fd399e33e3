import type { Stripe } from 'stripe'
import type { DisputeState } from '#shared/doctypes/invoice.ts'
import { askStripe, everything, idOf, isUnknown, type StripeApi } from './stripe-client.ts'

/** What came back of a payment, or may. */
export interface CameBack {
  /** In the smallest unit of the currency. */
  readonly refunded: number
  readonly dispute: DisputeState | null
}

/** What came back of a customer's payments, by the id of the payment; without those of which nothing did. */
export async function readCameBack(api: StripeApi, customer: string): Promise<ReadonlyMap<string, CameBack>> {
  const all = new Map<string, CameBack>()
  for (const { payment_intent, amount_refunded, disputed } of await listed(api, customer)) {
    const payment = idOf(payment_intent)
    if (payment === null || (amount_refunded === 0 && !disputed)) continue
    const before = all.get(payment)
    all.set(payment, {
      refunded: (before?.refunded ?? 0) + amount_refunded,
      dispute: disputed ? await readDispute(api, payment) : (before?.dispute ?? null),
    })
  }
  return all
}

async function listed(api: StripeApi, customer: string): Promise<Stripe.Charge[]> {
  try {
    return await askStripe(api, (stripe) => everything(stripe.charges.list({ customer, limit: 100 })))
  } catch (error) {
    if (isUnknown(error)) return []
    throw error
  }
}

/** The newest dispute about a payment. */
async function readDispute(api: StripeApi, payment_intent: string): Promise<DisputeState | null> {
  const { data } = await askStripe(api, (stripe) => stripe.disputes.list({ payment_intent, limit: 1 }))
  const status = data[0]?.status
  // One that was prevented never began: its payment was refunded instead.
  if (status === undefined || status === 'prevented') return null
  if (status === 'lost') return 'Lost'
  return status === 'won' || status === 'warning_closed' ? 'Won' : 'Open'
}
