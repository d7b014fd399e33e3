import { isObject } from '#shared/parse-json.ts'
import { invoiceBody, subscriptionBody } from './stripe-billing-bodies.ts'
import {
  customerBody,
  methodBody,
  paymentIntentBody,
  priceBody,
  productBody,
  setupIntentBody,
  taxIdBody,
} from './stripe-bodies.ts'
import { invalid, textsOf, type Call } from './stripe-call.ts'
import { amountsOf } from './stripe-money.ts'
import { scheduleBody } from './stripe-schedule-body.ts'
import type { Invoice, StripeState } from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

/** An answer with the objects in place of their ids that were asked for, and with what it shows only then. */
export function expanded({ state, params }: Call, body: Json): Json {
  return textsOf(params, 'expand').reduce((before, path) => expandAt(state, before, path, path.split('.')), body)
}

const notExpandable = (path: string) => invalid(`This property cannot be expanded (${path}).`, { param: 'expand' })

function expandAt(state: StripeState, object: Json, path: string, [name = '', ...rest]: readonly string[]): Json {
  const value = object[name] === undefined ? onlyExpanded(state, object)[name] : object[name]
  if (value === undefined) throw notExpandable(path)
  if (value === null) return object
  const whole = typeof value === 'string' ? objectOf(state, value, path) : value
  if (rest.length === 0) return { ...object, [name]: whole }
  if (Array.isArray(whole))
    return { ...object, [name]: whole.map((one: unknown) => (isObject(one) ? expandAt(state, one, path, rest) : one)) }
  if (!isObject(whole)) throw notExpandable(path)
  return { ...object, [name]: expandAt(state, whole, path, rest) }
}

function objectOf(state: StripeState, id: string, path: string): Json {
  const shows: Readonly<Record<string, (() => Json | undefined) | undefined>> = {
    cus: () => shown(state.customers, id, customerBody),
    pm: () => shown(state.methods, id, methodBody),
    seti: () => shown(state.setupIntents, id, (one) => setupIntentBody(state, one)),
    pi: () => shown(state.paymentIntents, id, (one) => paymentIntentBody(state, one)),
    price: () => shown(state.prices, id, priceBody),
    prod: () => shown(state.products, id, productBody),
    sub: () => shown(state.subscriptions, id, subscriptionBody) ?? shown(state.schedules, id, scheduleBody),
    in: () => shown(state.invoices, id, (one) => invoiceBody(state, one)),
  }
  const object = shows[id.split('_')[0] ?? '']?.() ?? shown(state.products, id, productBody)
  if (!object) throw notExpandable(path)
  return object
}

function shown<T>(objects: ReadonlyMap<string, T>, id: string, body: (object: T) => Json): Json | undefined {
  const object = objects.get(id)
  return object && body(object)
}

/** What an object shows only when it is asked for. */
function onlyExpanded(state: StripeState, { object, id }: Json): Json {
  if (object === 'invoice') {
    const invoice = state.invoices.get(String(id))
    return invoice ? paymentsOf(state, invoice) : { confirmation_secret: null, payments: null }
  }
  if (object !== 'customer') return {}
  const customer = state.customers.get(String(id))
  const data = customer?.taxIds.map((taxId) => taxIdBody(customer, taxId)) ?? []
  return { tax_ids: { object: 'list', data, has_more: false, url: `/v1/customers/${String(id)}/tax_ids` } }
}

function paymentsOf(state: StripeState, invoice: Invoice): Json {
  const payment = state.paymentIntents.get(invoice.payment ?? '')
  const isPaid = payment?.status === 'succeeded'
  const { due } = amountsOf(invoice)
  const data = payment && {
    id: payment.id.replace('pi_', 'inpay_'),
    object: 'invoice_payment',
    amount_paid: isPaid ? due : null,
    amount_requested: due,
    created: payment.created,
    currency: payment.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: payment.id, type: 'payment_intent' },
    status: isPaid ? 'paid' : payment.status === 'canceled' ? 'canceled' : 'open',
    status_transitions: { canceled_at: invoice.voidedAt, paid_at: invoice.paidAt },
  }
  return {
    confirmation_secret: payment ? { client_secret: payment.secret, type: 'payment_intent' } : null,
    payments: { object: 'list', data: data ? [data] : [], has_more: false, url: '/v1/invoice_payments' },
  }
}
