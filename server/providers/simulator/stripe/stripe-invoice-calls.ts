import { invoiceBody } from './stripe-billing-bodies.ts'
import {
  choiceOf,
  flagOf,
  found,
  integerOf,
  invalid,
  isCreatedAsAsked,
  knowOnly,
  listOf,
  objectOf,
  pageOf,
  refusedCard,
  requiredText,
  textOf,
  type Call,
} from './stripe-call.ts'
import { priceOf } from './stripe-catalog.ts'
import { creditInvoice, draftInvoice, payInvoice, voidInvoice } from './stripe-invoices.ts'
import { ownMethod } from './stripe-methods.ts'
import { amountsOf, periodEndOf, periodLine } from './stripe-money.ts'
import { nextPriceOf } from './stripe-schedules.ts'
import {
  timeOf,
  type Invoice,
  type InvoiceLine,
  type Price,
  type StripeState,
  type Subscription,
} from './stripe-state.ts'
import { automaticTaxOf, firstInvoice, linesOfChange, newSubscription } from './stripe-subscriptions.ts'
import type { Json } from './stripe-webhooks.ts'

export function listInvoices(call: Call): Json {
  const { state, params } = call
  const isAsked = isCreatedAsAsked(call)
  const [customer, subscription] = [textOf(params, 'customer'), textOf(params, 'subscription')]
  const status = textOf(params, 'status')
  const invoices = [...state.invoices.values()].filter(
    (one) =>
      isAsked(one) &&
      (customer === undefined || one.customer.id === customer) &&
      (subscription === undefined || one.subscription.id === subscription) &&
      (status === undefined || one.status === status),
  )
  return pageOf(
    call,
    { url: '/v1/invoices', filters: ['customer', 'subscription', 'status', 'created'] },
    invoices,
    (invoice) => invoiceBody(state, invoice),
  )
}

const invoiceOf = ({ state, ids: [id] }: Call): Invoice => found(state.invoices, 'invoice', id)

export const retrieveInvoice = (call: Call): Json => invoiceBody(call.state, invoiceOf(call))

export function payOpenInvoice(call: Call): Json {
  const { state, params } = call
  knowOnly(call, ['payment_method', 'off_session'])
  const invoice = invoiceOf(call)
  if (invoice.status === 'paid') throw invalid('Invoice is already paid')
  if (invoice.status !== 'open') throw invalid(`Invoice is ${invoice.status}: only open invoices can be paid.`)
  const id = textOf(params, 'payment_method')
  const card = state.methods.get(id === undefined ? '' : (ownMethod(state, invoice.customer, id) ?? ''))
  const outcome = payInvoice(state, invoice, card)
  if (typeof outcome === 'object') throw refusedCard(outcome)
  if (outcome === 'authenticate')
    throw refusedCard({
      type: 'card_error',
      code: 'invoice_payment_intent_requires_action',
      message: 'Payment for this invoice requires additional user action before it can be completed successfully.',
    })
  return invoiceBody(state, invoice)
}

export function voidOpenInvoice(call: Call): Json {
  const invoice = invoiceOf(call)
  if (invoice.status !== 'open')
    throw invalid('You can only pass in open invoices. This invoice isn’t open.', { code: 'invoice_not_editable' })
  voidInvoice(call.state, invoice)
  return invoiceBody(call.state, invoice)
}

/** The operator pays some of an invoice back. */
export function creditPaidInvoice(call: Call): Json {
  const { state, params } = call
  const invoice = invoiceOf(call)
  const amount = integerOf(params, 'amount') ?? 0
  if (invoice.status !== 'paid' || amount < 1 || amount > amountsOf(invoice).due - invoice.credited)
    throw invalid('Only what was paid can be paid back.', { param: 'amount' })
  creditInvoice(state, invoice, amount)
  return invoiceBody(state, invoice)
}

const details = ['items', 'proration_behavior', 'proration_date', 'cancel_at_period_end']

/** What would be billed next: for a change that is invoiced at once, that invoice. */
export function previewInvoice(call: Call): Json {
  const { state, params } = call
  knowOnly(call, ['customer', 'subscription', 'subscription_details', 'preview_mode', 'automatic_tax'])
  choiceOf(params, 'preview_mode', ['next'])
  const change = objectOf(params, 'subscription_details')
  const unknown = Object.keys(change).find((name) => !details.includes(name))
  if (unknown !== undefined)
    throw invalid(`Received unknown parameter: subscription_details[${unknown}]`, { code: 'parameter_unknown' })
  const id = textOf(params, 'subscription')
  if (id === undefined) {
    const customer = found(state.customers, 'customer', requiredText(params, 'customer'), 'customer')
    const subscription = newSubscription(
      state,
      customer,
      priceOf(state, listOf(change, 'items')),
      automaticTaxOf(params, customer),
    )
    return shown(state, firstInvoice(state, subscription), subscription.created)
  }
  const subscription = found(state.subscriptions, 'subscription', id, 'subscription')
  const changed = change['items'] === undefined ? null : linesOfChange(state, change, subscription)
  const { periodStart: start, pendingLines } = subscription
  const lines = [...pendingLines, ...(changed?.lines ?? [])]
  if (changed?.proration === 'always_invoice' && changed.lines.length > 0) {
    const now = timeOf(state, subscription.customer.timeline)
    const invoice = draftInvoice(state, subscription, { reason: 'upcoming', lines, period: { start, end: now } })
    return shown(state, invoice, now)
  }
  const isEnding = flagOf(change, 'cancel_at_period_end') ?? subscription.cancelAtPeriodEnd
  if (isEnding || subscription.endedAt !== null)
    throw invalid(`No upcoming invoices for customer: ${subscription.customer.id}`, {
      code: 'invoice_upcoming_none',
      status: 404,
    })
  return renewal(state, subscription, changed?.price ?? nextPriceOf(state, subscription), lines)
}

function renewal(state: StripeState, subscription: Subscription, price: Price, lines: readonly InvoiceLine[]): Json {
  const { periodStart: start, periodEnd: end, anchor, cycle } = subscription
  const next = periodLine(state, price, end, periodEndOf({ anchor, price }, cycle + 1))
  const invoice = draftInvoice(state, subscription, {
    reason: 'upcoming',
    lines: [...lines, next],
    period: { start, end },
  })
  return shown(state, invoice, end + 3600)
}

const shown = (state: StripeState, invoice: Invoice, payAt: number): Json => ({
  ...invoiceBody(state, { ...invoice, id: `upcoming_${invoice.id}`, nextStep: payAt }),
  created: payAt,
  auto_advance: false,
  automatically_finalizes_at: null,
})
