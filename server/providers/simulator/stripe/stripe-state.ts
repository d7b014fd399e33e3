/**
 * What the simulated Stripe keeps. Times are seconds since the epoch and amounts are in the smallest unit of the currency, as
 * at the vendor. A subscription has one item, of which there is one.
 */
import { randomBytes } from 'node:crypto'
import type { Json, StripeEvent, Webhooks } from './stripe-webhooks.ts'

export type Metadata = Readonly<Record<string, string>>

export interface StripeOptions {
  readonly secretKey: string
  readonly publishableKey: string
  readonly webhookSecret: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Most entries of a page; the vendor's own limit by default. */
  readonly pageLimit?: number
}

/** Time as customers live it: that of the account, or of a test clock. */
export interface Timeline {
  /** Null for that of the account. */
  readonly id: string | null
  readonly created: number
  readonly name: string | null
  /** Null: time passes. */
  frozen: number | null
}

interface Stored {
  readonly id: string
  readonly created: number
  metadata: Metadata
}

export interface Product extends Stored {
  name: string
  description: string | null
  active: boolean
}

export type Interval = 'day' | 'week' | 'month' | 'year'

export interface Price extends Stored {
  readonly product: Product
  readonly currency: string
  readonly amount: number
  readonly interval: Interval
  readonly intervalCount: number
  lookupKey: string | null
  nickname: string | null
  active: boolean
}

export interface TaxId {
  readonly id: string
  readonly created: number
  readonly type: string
  readonly value: string
}

export interface Customer extends Stored {
  readonly timeline: Timeline
  name: string | null
  email: string | null
  phone: string | null
  description: string | null
  address: Json | null
  defaultMethod: string | null
  /** Below zero: credit, which pays the next invoices. */
  balance: number
  taxExempt: string
  readonly taxIds: TaxId[]
  /** Of the numbers of its invoices. */
  readonly prefix: string
  invoiceCount: number
  isDeleted: boolean
}

export interface PaymentMethod extends Stored {
  readonly number: string
  readonly expMonth: number
  readonly expYear: number
  readonly billing: Json
  customer: string | null
}

/** What the vendor says about a card that it refuses, or that needs something. */
export interface IntentError {
  readonly type: 'card_error' | 'invalid_request_error'
  readonly code: string
  readonly message: string
  readonly decline_code?: string
  readonly param?: string
}

export interface SetupIntent extends Stored {
  readonly secret: string
  readonly customer: string | null
  readonly usage: string
  status: 'requires_payment_method' | 'requires_confirmation' | 'requires_action' | 'succeeded' | 'canceled'
  method: string | null
  error: IntentError | null
}

/** The payment of an invoice. */
export interface PaymentIntent extends Stored {
  readonly secret: string
  readonly customer: string
  readonly invoice: string
  readonly amount: number
  readonly currency: string
  status: 'requires_payment_method' | 'requires_confirmation' | 'requires_action' | 'succeeded' | 'canceled'
  method: string | null
  error: IntentError | null
}

/** What becomes of a dispute, as far as it is told apart. */
export const disputeStatuses = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
  'prevented',
] as const

export type DisputeStatus = (typeof disputeStatuses)[number]

/** One try to take the money of a payment from a card. */
export interface Charge extends Stored {
  readonly payment: PaymentIntent
  readonly card: PaymentMethod | null
  /** Null: it was taken. */
  readonly error: IntentError | null
  refunded: number
  dispute: { readonly id: string; readonly created: number; status: DisputeStatus } | null
}

export interface InvoiceLine {
  readonly id: string
  readonly amount: number
  readonly description: string
  readonly start: number
  readonly end: number
  readonly price: Price
  readonly isProration: boolean
}

export interface Invoice extends Stored {
  readonly customer: Customer
  readonly subscription: Subscription
  readonly reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'upcoming'
  readonly lines: readonly InvoiceLine[]
  /** On top of the lines. */
  readonly tax: number
  readonly periodStart: number
  readonly periodEnd: number
  /** The customer as it was when the invoice was finalized. */
  snapshot: {
    readonly name: string | null
    readonly email: string | null
    readonly address: Json | null
    readonly taxIds: readonly TaxId[]
  }
  /** Of its PDF, which whoever has the address may read. */
  readonly secret: string
  status: 'draft' | 'open' | 'paid' | 'void'
  number: string | null
  startingBalance: number
  endingBalance: number | null
  /** Of what was paid, how much credit notes give back. */
  credited: number
  payment: string | null
  attempts: number
  /** When it is finalized or paid without anyone asking. */
  nextStep: number | null
  finalizedAt: number | null
  paidAt: number | null
  voidedAt: number | null
}

/** A change that waits for the payment of its invoice. */
export interface PendingUpdate {
  readonly price: Price
  readonly at: number
  readonly expiresAt: number
  readonly invoice: string
}

/** What an operator put on a subscription: ids. A phase of a schedule has its own. */
export interface Terms {
  readonly discounts: readonly string[]
  readonly taxRates: readonly string[]
}

export interface Subscription extends Stored {
  readonly customer: Customer
  readonly itemId: string
  /** Periods are counted from here. */
  readonly anchor: number
  price: Price
  cycle: number
  periodStart: number
  periodEnd: number
  status: 'active' | 'past_due' | 'incomplete' | 'incomplete_expired' | 'canceled'
  cancelAtPeriodEnd: boolean
  canceledAt: number | null
  endedAt: number | null
  cancelReason: string | null
  defaultMethod: string | null
  latestInvoice: string | null
  schedule: string | null
  pendingUpdate: PendingUpdate | null
  automaticTax: boolean
  terms: Terms
  /** Prorations that wait for the next invoice. */
  pendingLines: readonly InvoiceLine[]
  /** What was billed for the time until the end of the period: a proration gives back what is left of it. */
  billed: { readonly amount: number; readonly start: number; readonly end: number }
}

export interface SchedulePhase {
  readonly start: number
  readonly end: number
  readonly price: Price
  readonly proration: string
  readonly terms: Terms
}

export interface Schedule extends Stored {
  readonly subscription: Subscription
  phases: readonly SchedulePhase[]
  /** Place of the current one. */
  current: number
  endBehavior: 'release' | 'cancel'
  status: 'active' | 'released' | 'canceled' | 'completed'
  endedAt: number | null
}

export interface StripeState {
  readonly options: StripeOptions
  readonly account: Timeline
  /** How far the account's time is ahead. */
  aheadSeconds: number
  readonly products: Map<string, Product>
  readonly prices: Map<string, Price>
  readonly customers: Map<string, Customer>
  readonly methods: Map<string, PaymentMethod>
  readonly setupIntents: Map<string, SetupIntent>
  readonly paymentIntents: Map<string, PaymentIntent>
  readonly charges: Map<string, Charge>
  readonly subscriptions: Map<string, Subscription>
  readonly schedules: Map<string, Schedule>
  readonly invoices: Map<string, Invoice>
  readonly clocks: Map<string, Timeline>
  readonly events: Map<string, StripeEvent>
  readonly webhooks: Webhooks
  /** Where it is reached. */
  base: string
  lastId: number
}

export function nextId(state: StripeState, prefix: string): string {
  state.lastId += 1
  return `${prefix}_1Sim${String(state.lastId).padStart(10, '0')}`
}

/** As mixed as the vendor's: one of hexadecimal digits looks like the number of a card now and then, which is refused. */
export const secretOf = (id: string): string => `${id}_secret_${randomBytes(18).toString('base64url')}`

export const timeOf = (state: StripeState, { frozen }: Timeline): number =>
  frozen ?? Math.floor(state.options.now() / 1000) + state.aheadSeconds

/** Something happened to an object; `object` is what it is now. */
export function emit(state: StripeState, timeline: Timeline, type: string, object: Json): void {
  const event: StripeEvent = {
    id: nextId(state, 'evt'),
    type,
    created: timeOf(state, timeline),
    object,
    isDelivered: false,
  }
  state.events.set(event.id, event)
  const { webhooks } = state
  if (webhooks.url === null) return
  const planned = webhooks.plan(event)
  if (planned === 'hold') webhooks.held.push(event)
  if (planned === 'send' || planned === 'send_twice') void webhooks.send(event)
  if (planned === 'send_twice') void webhooks.send(event)
}
