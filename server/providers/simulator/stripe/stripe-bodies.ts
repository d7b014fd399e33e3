/** Objects as the vendor shows them. */
import { brandOf } from './stripe-cards.ts'
import type {
  Customer,
  IntentError,
  PaymentIntent,
  PaymentMethod,
  Price,
  Product,
  SetupIntent,
  StripeState,
  TaxId,
  Timeline,
} from './stripe-state.ts'
import { timeOf } from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

export const productBody = ({ id, created, name, description, active, metadata }: Product): Json => ({
  id,
  object: 'product',
  active,
  created,
  default_price: null,
  description,
  images: [],
  livemode: false,
  marketing_features: [],
  metadata,
  name,
  package_dimensions: null,
  shippable: null,
  statement_descriptor: null,
  tax_code: null,
  tax_details: null,
  type: 'service',
  unit_label: null,
  updated: created,
  url: null,
})

export const priceBody = (price: Price): Json => ({
  id: price.id,
  object: 'price',
  active: price.active,
  billing_scheme: 'per_unit',
  created: price.created,
  currency: price.currency,
  custom_unit_amount: null,
  livemode: false,
  lookup_key: price.lookupKey,
  metadata: price.metadata,
  nickname: price.nickname,
  product: price.product.id,
  recurring: {
    interval: price.interval,
    interval_count: price.intervalCount,
    meter: null,
    trial_period_days: null,
    usage_type: 'licensed',
  },
  tax_behavior: 'unspecified',
  tiers_mode: null,
  transform_quantity: null,
  type: 'recurring',
  unit_amount: price.amount,
  unit_amount_decimal: String(price.amount),
})

/** The form of a price before there were prices. */
export const planBody = (price: Price): Json => ({
  id: price.id,
  object: 'plan',
  active: price.active,
  amount: price.amount,
  amount_decimal: String(price.amount),
  billing_scheme: 'per_unit',
  created: price.created,
  currency: price.currency,
  interval: price.interval,
  interval_count: price.intervalCount,
  livemode: false,
  metadata: price.metadata,
  meter: null,
  nickname: price.nickname,
  product: price.product.id,
  tiers_mode: null,
  transform_usage: null,
  trial_period_days: null,
  usage_type: 'licensed',
})

export const customerBody = (customer: Customer): Json =>
  customer.isDeleted
    ? { id: customer.id, object: 'customer', deleted: true }
    : {
        id: customer.id,
        object: 'customer',
        address: customer.address,
        balance: customer.balance,
        created: customer.created,
        currency: null,
        default_source: null,
        delinquent: false,
        description: customer.description,
        discount: null,
        email: customer.email,
        invoice_prefix: customer.prefix,
        invoice_settings: {
          custom_fields: null,
          default_payment_method: customer.defaultMethod,
          footer: null,
          rendering_options: null,
        },
        livemode: false,
        metadata: customer.metadata,
        name: customer.name,
        next_invoice_sequence: customer.invoiceCount + 1,
        phone: customer.phone,
        preferred_locales: [],
        shipping: null,
        tax_exempt: customer.taxExempt,
        test_clock: customer.timeline.id,
      }

export const taxIdBody = (customer: Customer, { id, created, type, value }: TaxId): Json => ({
  id,
  object: 'tax_id',
  country: type.slice(0, 2) === 'eu' ? value.slice(0, 2) : type.slice(0, 2).toUpperCase(),
  created,
  customer: customer.id,
  customer_account: null,
  livemode: false,
  owner: { type: 'customer', customer: customer.id, customer_account: null },
  type,
  value,
  verification: { status: 'pending', verified_address: null, verified_name: null },
})

export function methodBody({
  id,
  created,
  number,
  expMonth,
  expYear,
  billing,
  customer,
  metadata,
}: PaymentMethod): Json {
  const brand = brandOf(number)
  return {
    id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null, ...billing },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: brand === 'amex' ? 'american_express' : brand,
      exp_month: expMonth,
      exp_year: expYear,
      fingerprint: `sim${number.slice(-4)}${number.length}`,
      funding: 'credit',
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created,
    customer,
    customer_account: null,
    livemode: false,
    metadata,
    type: 'card',
  }
}

const nextAction = (status: string): Json | null =>
  status === 'requires_action' ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } } : null

export function errorBody(state: StripeState, error: IntentError | null, method: string | null): Json | null {
  if (!error) return null
  const card = state.methods.get(method ?? '')
  return { ...error, ...(card && { payment_method: methodBody(card) }) }
}

/** `isPublic`: for a browser, which is not told whose it is. */
export const setupIntentBody = (state: StripeState, intent: SetupIntent, isPublic = false): Json => ({
  id: intent.id,
  object: 'setup_intent',
  allowed_payment_method_types: ['card'],
  application: null,
  attach_to_self: false,
  automatic_payment_methods: null,
  cancellation_reason: intent.status === 'canceled' ? 'requested_by_customer' : null,
  client_secret: intent.secret,
  created: intent.created,
  customer: isPublic ? null : intent.customer,
  customer_account: null,
  description: null,
  excluded_payment_method_types: null,
  flow_directions: null,
  last_setup_error: errorBody(state, intent.error, intent.method),
  latest_attempt: null,
  livemode: false,
  mandate: null,
  metadata: isPublic ? {} : intent.metadata,
  next_action: nextAction(intent.status),
  on_behalf_of: null,
  payment_method: intent.status === 'requires_payment_method' ? null : intent.method,
  payment_method_configuration_details: null,
  payment_method_options: { card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' } },
  payment_method_types: ['card'],
  single_use_mandate: null,
  status: intent.status,
  usage: intent.usage,
})

export function paymentIntentBody(state: StripeState, intent: PaymentIntent, isPublic = false): Json {
  const shown = {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount,
    client_secret: intent.secret,
    created: intent.created,
    currency: intent.currency,
    last_payment_error: errorBody(state, intent.error, intent.method),
    livemode: false,
    next_action: nextAction(intent.status),
    payment_method: intent.status === 'requires_payment_method' ? null : intent.method,
    payment_method_types: ['card'],
    status: intent.status,
  }
  const received = intent.status === 'succeeded' ? intent.amount : 0
  return isPublic
    ? shown
    : { ...shown, amount_received: received, customer: intent.customer, metadata: intent.metadata }
}

export const clockBody = (state: StripeState, clock: Timeline, status: 'ready' | 'advancing' = 'ready'): Json => ({
  id: clock.id,
  object: 'test_helpers.test_clock',
  created: clock.created,
  deletes_after: clock.created + 30 * 86_400,
  frozen_time: timeOf(state, clock),
  livemode: false,
  name: clock.name,
  status,
  status_details: {},
})
