import type { Stripe } from 'stripe'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { disputeStates, type DisputeState } from '#shared/doctypes/invoice.ts'
import { msg } from '#shared/localized-message.ts'
import type { PlanName } from '#shared/rules/plans.ts'
import { ProviderError } from '../provider-error.ts'
import { readCameBack, type CameBack, type OnUnknown } from './charges.ts'
import { inUnits } from './money.ts'
import { planOfPriceId } from './prices.ts'
import { askStripe, atMs, everything, idOf, isUnknown, type StripeApi } from './stripe-client.ts'
import { automaticTax, type ProviderSubscription } from './subscriptions.ts'

/** An invoice as the provider has it. Times in milliseconds, amounts in units of the currency. */
export interface ProviderInvoice {
  readonly id: string
  readonly number: string | null
  readonly date: number
  readonly periodStart: number
  readonly periodEnd: number
  readonly plan: PlanName | null
  readonly total: number
  /** Upper case. */
  readonly currency: string
  readonly status: 'Paid' | 'Open' | 'Overdue' | 'Void'
  /** To the card. Undefined: not known. */
  readonly refunded: number | undefined
  /** By credit notes. */
  readonly credited: number
  /** Undefined: not known. */
  readonly dispute: DisputeState | null | undefined
  /** Id of what pays it; null if nothing is to be paid. */
  readonly payment: string | null
  /** What it bills, while it is to be paid. */
  readonly openFor: string | null
}

/** The invoices of a customer, without drafts; none if the provider does not know the customer. */
export async function readInvoices(api: StripeApi, customer: string, onUnknown: OnUnknown): Promise<ProviderInvoice[]> {
  const plans = new Map<string, PlanName | null>()
  const planOf = async (price: string): Promise<PlanName | null> => {
    if (!plans.has(price)) plans.set(price, await planOfPriceId(api, price))
    return plans.get(price) ?? null
  }
  const all: ProviderInvoice[] = []
  const [invoices, cameBack] = await Promise.all([listed(api, customer), readCameBack(api, customer, onUnknown)])
  for (const one of invoices) {
    const status = statusOf(one)
    if (status === null) continue
    const line = mainLine(one)
    const price = idOf(line?.pricing?.price_details?.price)
    const currency = one.currency.toUpperCase()
    all.push({
      id: one.id,
      number: one.number,
      date: atMs(one.status_transitions.finalized_at ?? one.created),
      periodStart: atMs(line?.period.start ?? one.period_start),
      periodEnd: atMs(line?.period.end ?? one.period_end),
      plan: price === null ? null : await planOf(price),
      total: inUnits(one.total, currency),
      currency,
      status,
      ...ofPayments(one, cameBack, currency),
      credited: inUnits(one.post_payment_credit_notes_amount, currency),
      openFor: one.status === 'open' ? idOf(one.parent?.subscription_details?.subscription) : null,
    })
  }
  return all
}

async function listed(api: StripeApi, customer: string): Promise<Stripe.Invoice[]> {
  try {
    return await askStripe(api, (stripe) =>
      everything(stripe.invoices.list({ customer, limit: 100, expand: ['data.payments'] })),
    )
  } catch (error) {
    if (isUnknown(error)) return []
    throw error
  }
}

/** The payment of an invoice, and what came back of all of them: a dispute that is open counts before one that has ended. */
function ofPayments(
  { payments }: Stripe.Invoice,
  cameBack: ReadonlyMap<string, CameBack> | null,
  currency: string,
): Pick<ProviderInvoice, 'refunded' | 'dispute' | 'payment'> {
  const all = payments?.data ?? []
  const paid = all.find(({ status }) => status === 'paid')
  const payment = idOf((paid ?? all[0])?.payment.payment_intent)
  // Nothing comes back of what was not paid.
  if (cameBack === null && paid) return { refunded: undefined, dispute: undefined, payment }
  const found = all.flatMap((one) => cameBack?.get(idOf(one.payment.payment_intent) ?? '') ?? [])
  const refunded = found.reduce((sum, one) => sum + one.refunded, 0)
  const isKnown = found.every(({ dispute }) => dispute !== undefined)
  const dispute = disputeStates.find((state) => found.some((one) => one.dispute === state)) ?? null
  return { refunded: inUnits(refunded, currency), dispute: isKnown ? dispute : undefined, payment }
}

/**
 * Makes void what is open of subscriptions that ended by themselves, after a last try or with their period, so that nobody is
 * asked for it later. Whether they ended is asked: one that has just begun may be missing in an older answer. `present`: what
 * was just read has not ended.
 */
export async function voidOfEnded(
  api: StripeApi,
  invoices: readonly ProviderInvoice[],
  present: ProviderSubscription | null,
): Promise<ProviderInvoice[]> {
  const all: ProviderInvoice[] = []
  for (const one of invoices) {
    const { openFor } = one
    const isOver = openFor !== null && openFor !== present?.id && (await hasEnded(api, openFor))
    if (isOver) await askStripe(api, (stripe) => stripe.invoices.voidInvoice(one.id))
    all.push(isOver ? { ...one, status: 'Void', openFor: null } : one)
  }
  return all
}

async function hasEnded(api: StripeApi, subscription: string): Promise<boolean> {
  const { status } = await askStripe(api, (stripe) => stripe.subscriptions.retrieve(subscription))
  return status === 'canceled' || status === 'incomplete_expired'
}

/** What was bought: the line that is not given back, of the latest period. */
function mainLine({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined {
  const bought = lines.data.filter(({ amount }) => amount >= 0)
  return (bought.length > 0 ? bought : lines.data).toSorted((a, b) => b.period.end - a.period.end)[0]
}

function statusOf({ status, attempted }: Stripe.Invoice): ProviderInvoice['status'] | null {
  if (status === 'paid') return 'Paid'
  if (status === 'void') return 'Void'
  if (status === 'uncollectible') return 'Overdue'
  return status === 'open' ? (attempted ? 'Overdue' : 'Open') : null
}

/** What a change of plan at once would cost. */
export interface ChangeCost {
  readonly dueNow: number
  /** What is given back for the unused time of the present plan. */
  readonly credit: number
  /** Of the whole bill, with taxes. */
  readonly total: number
  /** Upper case. */
  readonly currency: string
}

/** The provider's own preview of changing to a price at once. */
export async function previewChange(
  api: StripeApi,
  customer: string,
  subscription: ProviderSubscription | null,
  price: string,
): Promise<ChangeCost> {
  const preview = await askStripe(api, (stripe) =>
    stripe.invoices.createPreview(
      subscription === null
        ? { customer, subscription_details: { items: [{ price }] }, ...automaticTax(api) }
        : {
            customer,
            subscription: subscription.id,
            subscription_details: {
              items: [{ id: subscription.item, price }],
              proration_behavior: 'always_invoice',
            },
          },
    ),
  )
  const currency = preview.currency.toUpperCase()
  const given = preview.lines.data.reduce((sum, { amount }) => sum + Math.min(0, amount), 0)
  const units = (amount: number) => inUnits(amount, currency)
  return { dueNow: units(preview.amount_due), credit: units(-given), total: units(preview.total), currency }
}

/** What the next renewal comes to with a price, taxes included. */
export async function previewRenewal(
  api: StripeApi,
  customer: string,
  { id, item }: ProviderSubscription,
  price: string,
): Promise<number> {
  const { total, currency } = await askStripe(api, (stripe) =>
    stripe.invoices.createPreview({
      customer,
      subscription: id,
      subscription_details: { items: [{ id: item, price }], proration_behavior: 'none' },
    }),
  )
  return inUnits(total, currency)
}

const maxPdfBytes = 10 * 1024 * 1024
const maxRedirects = 3

/** The PDF of an invoice. */
export async function readInvoicePdf(api: StripeApi, id: string): Promise<Buffer> {
  const { invoice_pdf: first } = await askStripe(api, (stripe) => stripe.invoices.retrieve(id))
  let url = first ?? null
  for (let hop = 0; url !== null && hop <= maxRedirects; hop += 1) {
    const parsed = new URL(url)
    if (!isOfProvider(api, parsed)) break
    const { status, headers, body } = await safeFetch(parsed, { profile: 'operator', maxBytes: maxPdfBytes })
    if (status === 200 && body.subarray(0, 5).toString('latin1') === '%PDF-') return body
    const next: string | undefined = status >= 300 && status < 400 ? headers['location'] : undefined
    url = next !== undefined && URL.canParse(next, parsed.href) ? new URL(next, parsed).href : null
  }
  throw new ProviderError('unavailable', {
    vendor: 'Stripe',
    status: 200,
    retryable: true,
    message: msg`The payment provider has no PDF of this invoice at the moment.`,
    nextAction: msg`Try again in a few minutes.`,
  })
}

/** Whether an address that the provider named is one of its own: it must not lead anywhere else. */
function isOfProvider({ settings }: StripeApi, url: URL): boolean {
  if (settings.apiBase !== null) return url.origin === settings.apiBase
  return url.protocol === 'https:' && (url.hostname === 'stripe.com' || url.hostname.endsWith('.stripe.com'))
}
