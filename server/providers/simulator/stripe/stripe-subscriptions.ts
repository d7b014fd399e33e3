import { subscriptionBody } from './stripe-billing-bodies.ts'
import { priceOf } from './stripe-catalog.ts'
import {
  changedMetadata,
  changedText,
  choiceOf,
  flagOf,
  found,
  integerOf,
  invalid,
  knowOnly,
  listOf,
  objectOf,
  pageOf,
  refusedCard,
  requiredText,
  textOf,
  type Call,
} from './stripe-call.ts'
import { ownMethod } from './stripe-methods.ts'
import {
  changePrice,
  collectInvoice,
  defaultMethodOf,
  draftInvoice,
  finalizeInvoice,
  paymentWith,
  planRetry,
  storeInvoice,
  tellSubscription,
  voidInvoice,
  type Payment,
} from './stripe-invoices.ts'
import { amountsOf, periodEndOf, periodLine, prorationLines } from './stripe-money.ts'
import { endSchedule, moveSchedule } from './stripe-schedules.ts'
import {
  nextId,
  timeOf,
  type Customer,
  type Invoice,
  type InvoiceLine,
  type Price,
  type StripeState,
  type Subscription,
} from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

/** How long a first payment or a pending change may wait. */
export const waitSeconds = 23 * 3600

const behaviors = ['allow_incomplete', 'default_incomplete', 'error_if_incomplete', 'pending_if_incomplete'] as const
const prorations = ['always_invoice', 'create_prorations', 'none'] as const

/** One that begins now; it is kept only when its invoice is. */
export function newSubscription(
  state: StripeState,
  customer: Customer,
  price: Price,
  automaticTax: boolean,
): Subscription {
  const now = timeOf(state, customer.timeline)
  const end = periodEndOf({ anchor: now, price }, 0)
  return {
    id: nextId(state, 'sub'),
    created: now,
    metadata: {},
    customer,
    itemId: nextId(state, 'si'),
    anchor: now,
    price,
    cycle: 0,
    periodStart: now,
    periodEnd: end,
    status: 'incomplete',
    cancelAtPeriodEnd: false,
    canceledAt: null,
    endedAt: null,
    cancelReason: null,
    defaultMethod: null,
    latestInvoice: null,
    schedule: null,
    pendingUpdate: null,
    automaticTax,
    terms: { discounts: [], taxRates: [] },
    pendingLines: [],
    billed: { amount: price.amount, start: now, end },
  }
}

/** Whether tax is asked for, which depends on where the customer is. */
export function automaticTaxOf(params: Json, customer: Customer): boolean {
  const isAsked = flagOf(objectOf(params, 'automatic_tax'), 'enabled') ?? false
  if (isAsked && typeof customer.address?.['country'] !== 'string')
    throw invalid("The customer's location isn't recognized.", { code: 'customer_tax_location_invalid' })
  return isAsked
}

/** The invoice of the whole first period. */
export function firstInvoice(state: StripeState, subscription: Subscription): Invoice {
  const { price, periodStart: start, periodEnd } = subscription
  const lines = [periodLine(state, price, start, periodEnd)]
  return draftInvoice(state, subscription, { reason: 'subscription_create', lines, period: { start, end: start } })
}

export function createSubscription(call: Call): Json {
  const { state, params } = call
  const known = ['customer', 'items', 'metadata', 'default_payment_method', 'payment_behavior', 'off_session']
  knowOnly(call, [...known, 'automatic_tax'])
  const customer = found(state.customers, 'customer', requiredText(params, 'customer'), 'customer')
  const price = priceOf(state, listOf(params, 'items'))
  const behavior = choiceOf(params, 'payment_behavior', behaviors) ?? 'allow_incomplete'
  const subscription = newSubscription(state, customer, price, automaticTaxOf(params, customer))
  subscription.metadata = changedMetadata(params, {})
  subscription.defaultMethod = ownMethod(state, customer, changedText(params, 'default_payment_method', null))
  const invoice = firstInvoice(state, subscription)
  const isDue = amountsOf(invoice).due > 0
  const card = defaultMethodOf(state, subscription)
  if (isDue && behavior !== 'default_incomplete') {
    const payment = paymentWith(state, subscription, card)
    if (!card || behavior === 'error_if_incomplete') refuseUnpaid(payment)
  }
  state.subscriptions.set(subscription.id, subscription)
  storeInvoice(state, invoice)
  tellSubscription(state, subscription, 'created')
  finalizeInvoice(state, invoice)
  if (isDue && behavior !== 'default_incomplete') collectInvoice(state, invoice)
  return subscriptionBody(subscription)
}

function refuseUnpaid(payment: Payment): void {
  if (payment === 'paid') return
  if (payment !== 'authenticate') throw refusedCard(payment)
  throw refusedCard({
    type: 'card_error',
    code: 'authentication_required',
    message: 'Payment for this subscription requires additional user action before it can be completed successfully.',
  })
}

export function retrieveSubscription({ state, ids: [id] }: Call): Json {
  return subscriptionBody(found(state.subscriptions, 'subscription', id))
}

export function listSubscriptions(call: Call): Json {
  const { state, params } = call
  const [customer, price, clock] = [textOf(params, 'customer'), textOf(params, 'price'), textOf(params, 'test_clock')]
  const status = textOf(params, 'status')
  const isOver = (one: Subscription) => one.status === 'canceled' || one.status === 'incomplete_expired'
  const subscriptions = [...state.subscriptions.values()].filter(
    (one) =>
      (customer === undefined || one.customer.id === customer) &&
      (price === undefined || one.price.id === price) &&
      (clock === undefined || one.customer.timeline.id === clock) &&
      // Those that are over show only when they are asked for.
      (status === undefined
        ? !isOver(one)
        : status === 'all' || (status === 'ended' ? isOver(one) : one.status === status)),
  )
  return pageOf(
    call,
    { url: '/v1/subscriptions', filters: ['customer', 'price', 'status', 'test_clock'] },
    subscriptions,
    subscriptionBody,
  )
}

const updatable = [
  'items',
  'metadata',
  'default_payment_method',
  'cancel_at_period_end',
  'payment_behavior',
  'proration_behavior',
  'proration_date',
  'off_session',
]

export function updateSubscription(call: Call): Json {
  const { state, params } = call
  knowOnly(call, updatable)
  const subscription = found(state.subscriptions, 'subscription', call.ids[0])
  if (subscription.status === 'canceled' || subscription.status === 'incomplete_expired')
    throw invalid('A canceled subscription can only update its cancellation_details and metadata.')
  const behavior = choiceOf(params, 'payment_behavior', behaviors) ?? 'allow_incomplete'
  const ends = flagOf(params, 'cancel_at_period_end')
  if (behavior === 'pending_if_incomplete' && (ends !== undefined || params['default_payment_method'] !== undefined))
    throw invalid('When payment_behavior is pending_if_incomplete, only changes that a payment follows can be sent.')
  if (ends !== undefined && subscription.schedule !== null)
    throw invalid(
      `The subscription is managed by the subscription schedule \`${subscription.schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    )
  const method = changedText(params, 'default_payment_method', subscription.defaultMethod)
  subscription.defaultMethod = ownMethod(state, subscription.customer, method)
  subscription.metadata = changedMetadata(params, subscription.metadata)
  if (ends !== undefined) setCancel(state, subscription, ends)
  if (params['items'] !== undefined) updatePrice(call, subscription, behavior)
  tellSubscription(state, subscription)
  return subscriptionBody(subscription)
}

function setCancel(state: StripeState, subscription: Subscription, ends: boolean): void {
  if (subscription.cancelAtPeriodEnd === ends) return
  subscription.cancelAtPeriodEnd = ends
  subscription.canceledAt = ends ? timeOf(state, subscription.customer.timeline) : null
  subscription.cancelReason = ends ? 'cancellation_requested' : null
}

/** What a change of the price would put on an invoice. */
export function linesOfChange(
  state: StripeState,
  params: Json,
  subscription: Subscription,
): { price: Price; at: number; proration: (typeof prorations)[number]; lines: InvoiceLine[] } {
  const price = priceOf(state, listOf(params, 'items'), subscription.itemId)
  const proration = choiceOf(params, 'proration_behavior', prorations) ?? 'create_prorations'
  if (price.interval !== subscription.price.interval || price.intervalCount !== subscription.price.intervalCount)
    throw invalid('This simulator has no change of the interval.', { param: 'items[0][price]' })
  if (price.currency !== subscription.price.currency)
    throw invalid('The currency of a subscription cannot change.', { param: 'items[0][price]' })
  const at = integerOf(params, 'proration_date') ?? timeOf(state, subscription.customer.timeline)
  if (at < subscription.periodStart || at > subscription.periodEnd)
    throw invalid('Cannot specify a proration date outside of the current period.', { param: 'proration_date' })
  const isSame = price === subscription.price || proration === 'none'
  return { price, at, proration, lines: isSame ? [] : prorationLines(state, subscription, price, at) }
}

function updatePrice({ state, params }: Call, subscription: Subscription, behavior: (typeof behaviors)[number]): void {
  if (subscription.status === 'incomplete')
    throw invalid('The items of an incomplete subscription cannot be changed before its first invoice is paid.')
  const { price, at, proration, lines } = linesOfChange(state, params, subscription)
  if (price === subscription.price) return
  if (proration !== 'always_invoice') {
    endPendingUpdate(state, subscription)
    subscription.pendingLines = [...subscription.pendingLines, ...lines]
    applyPrice(state, subscription, price, proration === 'none' ? null : at)
    return
  }
  const period = { start: subscription.periodStart, end: timeOf(state, subscription.customer.timeline) }
  const all = [...subscription.pendingLines, ...lines]
  const invoice = draftInvoice(state, subscription, { reason: 'subscription_update', lines: all, period })
  const payment =
    amountsOf(invoice).due === 0 ? 'paid' : paymentWith(state, subscription, defaultMethodOf(state, subscription))
  if (behavior === 'error_if_incomplete') refuseUnpaid(payment)
  endPendingUpdate(state, subscription)
  const waits = behavior === 'pending_if_incomplete' && payment !== 'paid'
  if (waits) {
    const expiresAt = Math.min(timeOf(state, subscription.customer.timeline) + waitSeconds, subscription.periodEnd)
    subscription.pendingUpdate = { price, at, expiresAt, invoice: invoice.id }
  } else applyPrice(state, subscription, price, at)
  subscription.pendingLines = []
  storeInvoice(state, invoice)
  finalizeInvoice(state, invoice)
  if (invoice.status !== 'open' || behavior === 'default_incomplete') return
  const outcome = collectInvoice(state, invoice)
  if (outcome !== 'paid' && !waits) planRetry(state, invoice)
}

/** `at` is null where nothing was prorated. */
function applyPrice(state: StripeState, subscription: Subscription, price: Price, at: number | null): void {
  if (at === null) subscription.price = price
  else changePrice(subscription, price, at)
  moveSchedule(state, subscription)
}

/** A change that waits gives way to another one, or its time is over. */
export function endPendingUpdate(state: StripeState, subscription: Subscription): void {
  const invoice = state.invoices.get(subscription.pendingUpdate?.invoice ?? '')
  subscription.pendingUpdate = null
  if (invoice?.status === 'open') voidInvoice(state, invoice)
}

export function deleteSubscription(call: Call): Json {
  knowOnly(call, ['cancellation_details', 'invoice_now', 'prorate'])
  if (flagOf(call.params, 'invoice_now') === true || flagOf(call.params, 'prorate') === true)
    throw invalid('This simulator cancels without an invoice.')
  const subscription = found(call.state.subscriptions, 'subscription', call.ids[0])
  if (subscription.status === 'canceled')
    throw invalid(`No such subscription: '${subscription.id}'`, { code: 'resource_missing', status: 404 })
  cancelSubscription(call.state, subscription, 'cancellation_requested')
  return subscriptionBody(subscription)
}

/** It is over; what is open of it is collected no more. */
export function cancelSubscription(state: StripeState, subscription: Subscription, reason: string | null): void {
  const now = timeOf(state, subscription.customer.timeline)
  const isFirst = subscription.status === 'incomplete'
  subscription.status = isFirst ? 'incomplete_expired' : 'canceled'
  subscription.canceledAt ??= now
  subscription.endedAt = now
  subscription.cancelReason ??= reason
  endPendingUpdate(state, subscription)
  endSchedule(state, subscription, 'canceled')
  for (const invoice of state.invoices.values())
    if (invoice.subscription === subscription && (invoice.status === 'open' || invoice.status === 'draft')) {
      invoice.nextStep = null
      if (isFirst) voidInvoice(state, invoice)
    }
  tellSubscription(state, subscription, isFirst ? 'updated' : 'deleted')
}
