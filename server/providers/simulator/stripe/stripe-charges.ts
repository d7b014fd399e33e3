/** Money that was taken from cards, or not, and what came back of it: refunds, and disputes of the holders of the cards. */
import { methodBody } from './stripe-bodies.ts'
import { choiceOf, found, integerOf, invalid, isCreatedAsAsked, pageOf, textOf, type Call } from './stripe-call.ts'
import {
  disputeStatuses,
  emit,
  nextId,
  timeOf,
  type Charge,
  type DisputeStatus,
  type IntentError,
  type Invoice,
  type PaymentIntent,
  type StripeState,
} from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

const timelineOf = (state: StripeState, { payment }: Pick<Charge, 'payment'>) =>
  state.customers.get(payment.customer)?.timeline ?? state.account

/** A card was charged; `error`: in vain. */
export function addCharge(state: StripeState, payment: PaymentIntent, error: IntentError | null): void {
  const id = nextId(state, 'ch')
  const card = state.methods.get(payment.method ?? '') ?? null
  state.charges.set(id, {
    id,
    created: timeOf(state, timelineOf(state, { payment })),
    metadata: {},
    payment,
    card,
    error,
    refunded: 0,
    dispute: null,
  })
}

export function listCharges(call: Call): Json {
  const { state, params } = call
  const isAsked = isCreatedAsAsked(call)
  const [customer, payment] = [textOf(params, 'customer'), textOf(params, 'payment_intent')]
  if (customer !== undefined) found(state.customers, 'customer', customer, 'customer')
  const charges = [...state.charges.values()].filter(
    (one) =>
      isAsked(one) &&
      (customer === undefined || one.payment.customer === customer) &&
      (payment === undefined || one.payment.id === payment),
  )
  return pageOf(call, { url: '/v1/charges', filters: ['customer', 'payment_intent', 'created'] }, charges, chargeBody)
}

export function listDisputes(call: Call): Json {
  const { state, params } = call
  const isAsked = isCreatedAsAsked(call)
  const [charge, payment] = [textOf(params, 'charge'), textOf(params, 'payment_intent')]
  const disputes = [...state.charges.values()].flatMap((one) =>
    one.dispute !== null &&
    isAsked(one.dispute) &&
    (charge === undefined || one.id === charge) &&
    (payment === undefined || one.payment.id === payment)
      ? [{ id: one.dispute.id, charge: one }]
      : [],
  )
  const list = { url: '/v1/disputes', filters: ['charge', 'payment_intent', 'created'] }
  return pageOf(call, list, disputes, (one) => disputeBody(one.charge))
}

/** What paid an invoice. */
const paymentOf = (state: StripeState, invoice: Invoice): Charge | undefined =>
  state.charges.values().find(({ payment, error }) => payment.id === invoice.payment && error === null)

/** Pays some of an invoice back to its card: at most what is left of that. Returns how much. */
export function refundInvoice(state: StripeState, invoice: Invoice, most: number): number {
  const charge = paymentOf(state, invoice)
  const amount = charge ? Math.min(most, charge.payment.amount - charge.refunded) : 0
  if (!charge || amount < 1) return 0
  charge.refunded += amount
  emit(state, timelineOf(state, charge), 'charge.refunded', chargeBody(charge))
  return amount
}

/** The operator pays back what an invoice took, without a credit note. */
export function refundPaidInvoice({ state, params, ids: [id] }: Call): Json {
  const amount = integerOf(params, 'amount') ?? 0
  const invoice = found(state.invoices, 'invoice', id)
  if (amount < 1 || refundInvoice(state, invoice, amount) < amount)
    throw invalid('Refund amount is greater than unrefunded amount on charge', { param: 'amount' })
  return { refunded: amount }
}

/** The holder of the card disputes the payment of an invoice at their bank, or that goes on. Null: no card has paid it. */
export function disputePayment(state: StripeState, invoice: Invoice, status: DisputeStatus): Json | null {
  const charge = paymentOf(state, invoice)
  if (!charge) return null
  const timeline = timelineOf(state, charge)
  const type = charge.dispute === null ? 'created' : status === 'won' || status === 'lost' ? 'closed' : 'updated'
  charge.dispute ??= { id: nextId(state, 'du'), created: timeOf(state, timeline), status }
  charge.dispute.status = status
  const body = disputeBody(charge)
  emit(state, timeline, `charge.dispute.${type}`, body)
  return body
}

export function disputePaidInvoice({ state, params, ids: [id] }: Call): Json {
  const status = choiceOf(params, 'status', disputeStatuses) ?? 'needs_response'
  const body = disputePayment(state, found(state.invoices, 'invoice', id), status)
  if (!body) throw invalid('Only what a card has paid can be disputed.')
  return body
}

function chargeBody(charge: Charge): Json {
  const { id, created, payment, error, metadata, refunded } = charge
  const isPaid = error === null
  return {
    id,
    object: 'charge',
    amount: payment.amount,
    amount_captured: isPaid ? payment.amount : 0,
    amount_refunded: refunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: isPaid,
    created,
    currency: payment.currency,
    customer: payment.customer,
    description: null,
    disputed: charge.dispute !== null,
    failure_balance_transaction: null,
    failure_code: error?.code ?? null,
    failure_message: error?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata,
    on_behalf_of: null,
    outcome: null,
    paid: isPaid,
    payment_intent: payment.id,
    payment_method: charge.card?.id ?? null,
    payment_method_details: cardDetails(charge),
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: isPaid && refunded === payment.amount,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: isPaid ? 'succeeded' : 'failed',
    transfer_group: null,
  }
}

function cardDetails({ card, payment }: Charge): Json | null {
  if (!card) return null
  const { brand, checks, country, exp_month, exp_year, fingerprint, funding, last4, regulated_status } = methodBody(
    card,
  )['card'] as Json
  return {
    card: {
      ...{ brand, checks, country, exp_month, exp_year, fingerprint, funding, last4, regulated_status },
      amount_authorized: payment.amount,
      authorization_code: null,
      electronic_commerce_indicator: null,
      mandate: null,
      network: brand,
      network_transaction_id: null,
      transaction_link_id: null,
    },
    type: 'card',
  }
}

/** What an operator can say against a dispute. */
const noEvidence = Object.fromEntries(
  [
    'access_activity_log',
    'billing_address',
    'cancellation_policy',
    'cancellation_policy_disclosure',
    'cancellation_rebuttal',
    'customer_communication',
    'customer_email_address',
    'customer_name',
    'customer_purchase_ip',
    'customer_signature',
    'duplicate_charge_documentation',
    'duplicate_charge_explanation',
    'duplicate_charge_id',
    'product_description',
    'receipt',
    'refund_policy',
    'refund_policy_disclosure',
    'refund_refusal_explanation',
    'service_date',
    'service_documentation',
    'shipping_address',
    'shipping_carrier',
    'shipping_date',
    'shipping_documentation',
    'shipping_tracking_number',
    'uncategorized_file',
    'uncategorized_text',
  ].map((name) => [name, null]),
)

const disputeBody = ({ id, payment, dispute, refunded }: Charge): Json => ({
  id: dispute?.id,
  object: 'dispute',
  amount: payment.amount,
  balance_transactions: [],
  charge: id,
  created: dispute?.created,
  currency: payment.currency,
  enhanced_eligibility_types: [],
  evidence: { ...noEvidence, enhanced_evidence: {} },
  evidence_details: {
    due_by: null,
    enhanced_eligibility: {},
    has_evidence: false,
    past_due: false,
    submission_count: 0,
    submission_method: 'not_submitted',
  },
  intended_submission_method: null,
  is_charge_refundable: refunded < payment.amount && dispute?.status.startsWith('warning') === true,
  livemode: false,
  metadata: {},
  payment_intent: payment.id,
  reason: 'general',
  status: dispute?.status,
})
