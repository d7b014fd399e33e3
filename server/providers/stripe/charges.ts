import type { Stripe } from 'stripe'
import type { DisputeState } from '#shared/doctypes/invoice.ts'
import { ProviderError } from '../provider-error.ts'
import { askStripe, everything, idOf, isUnknown, type StripeApi } from './stripe-client.ts'

/** What came back of a payment, or may. */
export interface CameBack {
  /** In the smallest unit of the currency. */
  readonly refunded: number
  /** Undefined: not known. */
  readonly dispute: DisputeState | null | undefined
}

/** Is given what keeps refunds or disputes from being known: the key of an installation may not be allowed to read them. */
export type OnUnknown = (error: ProviderError) => void

/** Disputes that are asked about at once. */
const disputesAtOnce = 10
/** Of each of these requests: a change of a plan, which has a deadline, waits for them. */
const briefly = { timeout: 8000, maxNetworkRetries: 1 }

/**
 * What came back of a customer's payments, by the id of the payment; without those of which nothing did. Null: not known. Nothing
 * that is paid waits for what only this needs.
 */
export async function readCameBack(
  api: StripeApi,
  customer: string,
  onUnknown: OnUnknown,
): Promise<ReadonlyMap<string, CameBack> | null> {
  const charges = await orUnknown(listed(api, customer), onUnknown)
  if (charges === undefined) return null
  const all = new Map<string, CameBack>()
  const disputed = new Set<string>()
  for (const { payment_intent, amount_refunded, disputed: isDisputed } of charges) {
    const payment = idOf(payment_intent)
    if (payment === null || (amount_refunded === 0 && !isDisputed)) continue
    all.set(payment, { refunded: (all.get(payment)?.refunded ?? 0) + amount_refunded, dispute: null })
    if (isDisputed) disputed.add(payment)
  }
  const waiting = [...disputed]
  for (let next = waiting.splice(0, disputesAtOnce); next.length > 0; next = waiting.splice(0, disputesAtOnce))
    await Promise.all(
      next.map(async (payment) => {
        const dispute = await orUnknown(readDispute(api, payment), onUnknown)
        all.set(payment, { refunded: all.get(payment)?.refunded ?? 0, dispute })
      }),
    )
  return all
}

async function orUnknown<T>(reading: Promise<T>, onUnknown: OnUnknown): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    onUnknown(error)
    return undefined
  }
}

async function listed(api: StripeApi, customer: string): Promise<Stripe.Charge[]> {
  try {
    return await askStripe(api, (stripe) => everything(stripe.charges.list({ customer, limit: 100 }, briefly)))
  } catch (error) {
    if (isUnknown(error)) return []
    throw error
  }
}

/** The newest dispute about a payment. */
async function readDispute(api: StripeApi, payment_intent: string): Promise<DisputeState | null> {
  const { data } = await askStripe(api, (stripe) => stripe.disputes.list({ payment_intent, limit: 1 }, briefly))
  const status = data[0]?.status
  // One that was prevented never began: its payment was refunded instead.
  if (status === undefined || status === 'prevented') return null
  if (status === 'lost') return 'Lost'
  return status === 'won' || status === 'warning_closed' ? 'Won' : 'Open'
}

/** What the key has no right to read, of what is read here only. */
export async function unreadable(api: StripeApi): Promise<('charges' | 'disputes')[]> {
  const kinds = ['charges', 'disputes'] as const
  const isForbidden = async (kind: (typeof kinds)[number]): Promise<boolean> => {
    try {
      await askStripe<unknown>(api, (stripe) => stripe[kind].list({ limit: 1 }))
      return false
    } catch (error) {
      if (error instanceof ProviderError && error.status === 403) return true
      throw error
    }
  }
  const forbidden = await Promise.all(kinds.map(isForbidden))
  return kinds.filter((_, at) => forbidden[at])
}
