/** How invoices are made, finalized and paid, and what follows for their subscription. */
import { randomBytes } from 'node:crypto'
import { invoiceBody, subscriptionBody } from './stripe-billing-bodies.ts'
import { paymentIntentBody } from './stripe-bodies.ts'
import { outcomeOf } from './stripe-cards.ts'
import { addCharge, refundInvoice } from './stripe-charges.ts'
import { amountsOf, prorated, taxOf } from './stripe-money.ts'
import {
  emit,
  nextId,
  secretOf,
  timeOf,
  type IntentError,
  type Invoice,
  type InvoiceLine,
  type PaymentIntent,
  type PaymentMethod,
  type Price,
  type StripeState,
  type Subscription,
} from './stripe-state.ts'

/** A draft; it is kept only when it is told of. */
export function draftInvoice(
  state: StripeState,
  subscription: Subscription,
  {
    reason,
    lines,
    period,
  }: { reason: Invoice['reason']; lines: readonly InvoiceLine[]; period: { start: number; end: number } },
): Invoice {
  const { customer } = subscription
  const { name, email, address, taxIds } = customer
  return {
    id: nextId(state, 'in'),
    created: timeOf(state, customer.timeline),
    metadata: {},
    customer,
    subscription,
    reason,
    lines,
    tax: taxOf(subscription, lines),
    periodStart: period.start,
    periodEnd: period.end,
    snapshot: { name, email, address, taxIds: [...taxIds] },
    secret: randomBytes(12).toString('hex'),
    status: 'draft',
    number: null,
    startingBalance: customer.balance,
    endingBalance: null,
    credited: 0,
    payment: null,
    attempts: 0,
    nextStep: null,
    finalizedAt: null,
    paidAt: null,
    voidedAt: null,
  }
}

export function tellInvoice(state: StripeState, invoice: Invoice, ...types: string[]): void {
  for (const type of types) emit(state, invoice.customer.timeline, `invoice.${type}`, invoiceBody(state, invoice))
}

export const tellSubscription = (state: StripeState, subscription: Subscription, type = 'updated'): void =>
  emit(state, subscription.customer.timeline, `customer.subscription.${type}`, subscriptionBody(subscription))

export function storeInvoice(state: StripeState, invoice: Invoice): void {
  state.invoices.set(invoice.id, invoice)
  invoice.subscription.latestInvoice = invoice.id
  tellInvoice(state, invoice, 'created')
}

/** A credit note, as an operator issues it at the vendor's dashboard: it pays back what a card had paid, before anything else. */
export function creditInvoice(state: StripeState, invoice: Invoice, amount: number): void {
  invoice.credited += amount
  const { id, customer } = invoice
  const note = { id: nextId(state, 'cn'), object: 'credit_note', amount, customer: customer.id, invoice: id }
  emit(state, customer.timeline, 'credit_note.created', note)
  refundInvoice(state, invoice, amount)
  tellInvoice(state, invoice, 'updated')
}

/** Gives it its number and takes what the customer's balance has. What is left is to be paid. */
export function finalizeInvoice(state: StripeState, invoice: Invoice): void {
  const { customer } = invoice
  const now = timeOf(state, customer.timeline)
  customer.invoiceCount += 1
  const { name, email, address, taxIds } = customer
  invoice.snapshot = { name, email, address, taxIds: [...taxIds] }
  invoice.number = `${customer.prefix}-${String(customer.invoiceCount).padStart(4, '0')}`
  invoice.startingBalance = customer.balance
  const { due, ending } = amountsOf(invoice)
  invoice.endingBalance = ending
  customer.balance = ending
  invoice.status = 'open'
  invoice.finalizedAt = now
  invoice.nextStep = null
  if (due > 0) {
    const id = nextId(state, 'pi')
    const { currency } = invoice.subscription.price
    const payment = { id, created: now, metadata: {}, secret: secretOf(id), customer: customer.id, invoice: invoice.id }
    const method = defaultMethodOf(state, invoice.subscription)
    const status = method ? 'requires_confirmation' : 'requires_payment_method'
    state.paymentIntents.set(id, { ...payment, amount: due, currency, status, method: method?.id ?? null, error: null })
    invoice.payment = id
  }
  tellInvoice(state, invoice, 'finalized')
  if (due === 0) settleInvoice(state, invoice)
}

/** The card that pays a subscription. */
export function defaultMethodOf(state: StripeState, { defaultMethod, customer }: Subscription): PaymentMethod | null {
  return state.methods.get(defaultMethod ?? customer.defaultMethod ?? '') ?? null
}

/** What comes of a payment: `authenticate` waits for the customer. */
export type Payment = 'paid' | 'authenticate' | IntentError

const noCard: IntentError = {
  type: 'invalid_request_error',
  code: 'resource_missing',
  message: 'This customer has no attached payment source or default payment method.',
}

/** What would come of a payment with a card. */
export function paymentWith(state: StripeState, subscription: Subscription, card: PaymentMethod | null): Payment {
  if (!card) return noCard
  return outcomeOf(card, 'charge', timeOf(state, subscription.customer.timeline)) ?? 'paid'
}

/** Tries to pay what is open. */
export function payInvoice(
  state: StripeState,
  invoice: Invoice,
  card: PaymentMethod | null = defaultMethodOf(state, invoice.subscription),
): Payment {
  const payment = state.paymentIntents.get(invoice.payment ?? '')
  if (!payment) return 'paid'
  const outcome = paymentWith(state, invoice.subscription, card)
  invoice.attempts = Math.max(1, invoice.attempts)
  payment.method = card?.id ?? null
  if (outcome === 'paid') {
    settlePayment(state, payment)
    return outcome
  }
  failPayment(state, payment, outcome)
  return outcome
}

/** Tries it without anyone asking. */
export function collectInvoice(state: StripeState, invoice: Invoice): Payment {
  invoice.attempts += 1
  return payInvoice(state, invoice)
}

/** Days after the first attempt. */
const retryDays = [3, 5, 7]

/** What is owed is tried again later. Returns false when it was tried often enough. */
export function planRetry(state: StripeState, invoice: Invoice): boolean {
  const days = retryDays[invoice.attempts - 1]
  invoice.nextStep = days === undefined ? null : (invoice.finalizedAt ?? invoice.created) + days * 86_400
  const { subscription } = invoice
  if (subscription.status === 'active') {
    subscription.status = 'past_due'
    tellSubscription(state, subscription)
  }
  return days !== undefined
}

/** The money came. */
export function settlePayment(state: StripeState, payment: PaymentIntent): void {
  const invoice = state.invoices.get(payment.invoice)
  payment.status = 'succeeded'
  payment.error = null
  addCharge(state, payment, null)
  if (!invoice) return
  emit(state, invoice.customer.timeline, 'payment_intent.succeeded', paymentIntentBody(state, payment))
  settleInvoice(state, invoice)
}

/** The money did not come, or not yet. */
export function failPayment(state: StripeState, payment: PaymentIntent, outcome: 'authenticate' | IntentError): void {
  const invoice = state.invoices.get(payment.invoice)
  payment.status = outcome === 'authenticate' ? 'requires_action' : 'requires_payment_method'
  payment.error = outcome === 'authenticate' ? null : outcome
  if (outcome !== 'authenticate' && outcome.type === 'card_error') addCharge(state, payment, outcome)
  if (!invoice) return
  const what = outcome === 'authenticate' ? 'requires_action' : 'payment_failed'
  emit(state, invoice.customer.timeline, `payment_intent.${what}`, paymentIntentBody(state, payment))
  if (outcome === 'authenticate') tellInvoice(state, invoice, 'payment_action_required')
  tellInvoice(state, invoice, 'payment_failed')
}

function settleInvoice(state: StripeState, invoice: Invoice): void {
  const { subscription } = invoice
  invoice.status = 'paid'
  invoice.paidAt = timeOf(state, invoice.customer.timeline)
  invoice.nextStep = null
  tellInvoice(state, invoice, 'paid', 'payment_succeeded')
  const { pendingUpdate } = subscription
  if (pendingUpdate?.invoice === invoice.id) {
    subscription.pendingUpdate = null
    changePrice(subscription, pendingUpdate.price, pendingUpdate.at)
    tellSubscription(state, subscription, 'pending_update_applied')
    tellSubscription(state, subscription)
  }
  endOwing(state, subscription, invoice)
}

/** A subscription whose invoices are paid, or void, is active again. */
function endOwing(state: StripeState, subscription: Subscription, invoice: Invoice): void {
  const { status, pendingUpdate } = subscription
  const isOwing = state.invoices
    .values()
    .some((one) => one.subscription === subscription && one.status === 'open' && one.id !== pendingUpdate?.invoice)
  const isFirst = status === 'incomplete' && invoice.reason === 'subscription_create'
  if (!isFirst && (status !== 'past_due' || isOwing)) return
  subscription.status = 'active'
  tellSubscription(state, subscription)
}

/** Billed from a moment on by another price; what that costs has been prorated. */
export function changePrice(subscription: Subscription, price: Price, at: number): void {
  const { periodStart, periodEnd } = subscription
  subscription.price = price
  subscription.billed = {
    amount: prorated(price.amount, periodEnd - at, periodEnd - periodStart),
    start: at,
    end: periodEnd,
  }
}

/** An invoice nobody pays any more; credit it took comes back, and what waits for it does not happen. */
export function voidInvoice(state: StripeState, invoice: Invoice): void {
  const { subscription, customer } = invoice
  customer.balance += invoice.startingBalance - (invoice.endingBalance ?? invoice.startingBalance)
  invoice.status = 'void'
  invoice.voidedAt = timeOf(state, customer.timeline)
  invoice.nextStep = null
  const payment = state.paymentIntents.get(invoice.payment ?? '')
  if (payment) payment.status = 'canceled'
  tellInvoice(state, invoice, 'voided')
  if (subscription.pendingUpdate?.invoice === invoice.id) {
    subscription.pendingUpdate = null
    tellSubscription(state, subscription)
  }
  if (subscription.status === 'past_due') endOwing(state, subscription, invoice)
  if (subscription.status !== 'incomplete') return
  subscription.status = 'incomplete_expired'
  subscription.endedAt = invoice.voidedAt
  tellSubscription(state, subscription)
}
