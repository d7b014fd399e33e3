/** Subscriptions and invoices as the vendor shows them. */
import { planBody, priceBody } from './stripe-bodies.ts'
import { amountsOf } from './stripe-money.ts'
import type { Invoice, InvoiceLine, Price, StripeState, Subscription } from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

const listOf = (url: string, data: readonly Json[]): Json => ({ object: 'list', data, has_more: false, url })

function itemBody(subscription: Subscription, price: Price = subscription.price): Json {
  return {
    id: subscription.itemId,
    object: 'subscription_item',
    billing_thresholds: null,
    created: subscription.created,
    current_period_end: subscription.periodEnd,
    current_period_start: subscription.periodStart,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planBody(price),
    price: priceBody(price),
    quantity: 1,
    subscription: subscription.id,
    tax_rates: [],
  }
}

export const automaticTaxBody = ({ automaticTax: enabled }: Subscription): Json => ({
  disabled_reason: null,
  enabled,
  liability: enabled ? { type: 'self' } : null,
})

export const taxRateBody = (id: string): Json => ({ id, object: 'tax_rate' })

export const flexible = { flexible: { proration_discounts: 'included' }, type: 'flexible' }

export function subscriptionBody(subscription: Subscription): Json {
  const { pendingUpdate: pending, status } = subscription
  const isOver = status === 'canceled' || status === 'incomplete_expired'
  return {
    id: subscription.id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: automaticTaxBody(subscription),
    billing_cycle_anchor: subscription.anchor,
    billing_cycle_anchor_config: null,
    billing_mode: flexible,
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: subscription.cancelAtPeriodEnd && !isOver ? subscription.periodEnd : null,
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    canceled_at: subscription.canceledAt,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: subscription.cancelReason },
    collection_method: 'charge_automatically',
    created: subscription.created,
    currency: subscription.price.currency,
    customer: subscription.customer.id,
    customer_account: null,
    days_until_due: null,
    default_payment_method: subscription.defaultMethod,
    default_source: null,
    default_tax_rates: subscription.terms.taxRates.map(taxRateBody),
    description: null,
    discounts: subscription.terms.discounts,
    ended_at: subscription.endedAt,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: listOf(`/v1/subscription_items?subscription=${subscription.id}`, [itemBody(subscription)]),
    latest_invoice: subscription.latestInvoice,
    livemode: false,
    managed_payments: null,
    metadata: subscription.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: pending && {
      billing_cycle_anchor: null,
      cancel_at_period_end: null,
      discount: null,
      discounts: null,
      expires_at: pending.expiresAt,
      metadata: {},
      subscription_items: [itemBody(subscription, pending.price)],
      trial_end: null,
      trial_from_plan: null,
    },
    schedule: subscription.schedule,
    start_date: subscription.created,
    status,
    test_clock: subscription.customer.timeline.id,
    transfer_data: null,
    trial_end: null,
    trial_settings: null,
    trial_start: null,
  }
}

export function lineBody(invoice: Invoice, line: InvoiceLine): Json {
  return {
    id: line.id,
    object: 'line_item',
    amount: line.amount,
    currency: invoice.lines[0]?.price.currency ?? line.price.currency,
    description: line.description,
    discount_amounts: [],
    discountable: !line.isProration,
    discounts: [],
    invoice: invoice.id,
    livemode: false,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: line.isProration ? line.id.replace('il_', 'ii_') : null,
        proration: line.isProration,
        proration_details: { credited_items: null },
        subscription: invoice.subscription.id,
        subscription_item: invoice.subscription.itemId,
      },
      type: 'subscription_item_details',
    },
    period: { start: line.start, end: line.end },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: line.price.id, product: line.price.product.id },
      type: 'price_details',
      unit_amount_decimal: String(line.price.amount),
    },
    quantity: 1,
    quantity_decimal: '1',
    subscription: invoice.subscription.id,
    subtotal: line.amount,
    taxes: [],
  }
}

const taxBody = (amount: number, taxable_amount: number): Json => ({
  amount,
  tax_behavior: 'exclusive',
  tax_rate_details: { tax_rate: 'txr_1Simulated' },
  taxability_reason: 'standard_rated',
  taxable_amount,
  type: 'tax_rate_details',
})

/** `base` is where its pages are. */
export function invoiceBody({ base }: Pick<StripeState, 'base'>, invoice: Invoice): Json {
  const { customer, subscription, status, snapshot, tax } = invoice
  const { total, due, ending } = amountsOf(invoice)
  const paid = status === 'paid' ? due : 0
  const page = invoice.finalizedAt === null ? null : `${base}/invoice/${invoice.id}`
  return {
    id: invoice.id,
    object: 'invoice',
    account_country: 'DE',
    account_name: 'Simulated account',
    account_tax_ids: null,
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: paid,
    amount_paid_off_stripe: 0,
    amount_remaining: due - paid,
    amount_shipping: 0,
    application: null,
    attempt_count: invoice.attempts,
    attempted: invoice.attempts > 0,
    auto_advance: invoice.nextStep !== null,
    automatic_tax: {
      ...automaticTaxBody(subscription),
      provider: subscription.automaticTax ? 'stripe' : null,
      status: subscription.automaticTax ? 'complete' : null,
    },
    automatically_finalizes_at: status === 'draft' ? invoice.nextStep : null,
    billing_reason: invoice.reason,
    collection_method: 'charge_automatically',
    created: invoice.created,
    currency: subscription.price.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: snapshot.address,
    customer_email: snapshot.email,
    customer_name: snapshot.name,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: customer.taxExempt,
    customer_tax_ids: snapshot.taxIds.map(({ type, value }) => ({ type, value })),
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: invoice.finalizedAt,
    ending_balance: status === 'draft' ? null : ending,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: page,
    invoice_pdf: page && `${page}/pdf?s=${invoice.secret}`,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: listOf(
      `/v1/invoices/${invoice.id}/lines`,
      invoice.lines.map((line) => lineBody(invoice, line)),
    ),
    livemode: false,
    metadata: invoice.metadata,
    next_payment_attempt: invoice.nextStep,
    number: invoice.number,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: invoice.periodEnd,
    period_start: invoice.periodStart,
    post_payment_credit_notes_amount: invoice.credited,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: invoice.startingBalance,
    statement_descriptor: null,
    status,
    status_transitions: {
      finalized_at: invoice.finalizedAt,
      marked_uncollectible_at: null,
      paid_at: invoice.paidAt,
      voided_at: invoice.voidedAt,
    },
    subtotal: total - tax,
    subtotal_excluding_tax: total - tax,
    test_clock: customer.timeline.id,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total - tax,
    total_pretax_credit_amounts: [],
    total_taxes: subscription.automaticTax ? [taxBody(tax, total - tax)] : [],
    webhooks_delivered_at: invoice.finalizedAt,
  }
}
