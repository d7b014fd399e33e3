/** Cards that customers set up, and payments that they confirm, in the browser or by the secret key. */
import { errorBody, paymentIntentBody, setupIntentBody } from './stripe-bodies.ts'
import {
  changedMetadata,
  choiceOf,
  found,
  integerOf,
  invalid,
  knowOnly,
  objectOf,
  refusedCard,
  requiredText,
  textOf,
  textsOf,
  type Call,
} from './stripe-call.ts'
import { outcomeOf } from './stripe-cards.ts'
import { addressOf } from './stripe-customers.ts'
import { failPayment, payInvoice, settlePayment } from './stripe-invoices.ts'
import { addMethod, attachTo, methodOf } from './stripe-methods.ts'
import {
  emit,
  nextId,
  secretOf,
  timeOf,
  type IntentError,
  type PaymentIntent,
  type PaymentMethod,
  type SetupIntent,
  type StripeState,
} from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

const timelineOf = (state: StripeState, { customer }: SetupIntent) =>
  state.customers.get(customer ?? '')?.timeline ?? state.account

const tell = (state: StripeState, intent: SetupIntent, type: string): void =>
  emit(state, timelineOf(state, intent), `setup_intent.${type}`, setupIntentBody(state, intent))

export function createSetupIntent(call: Call): Json {
  const { state, params } = call
  knowOnly(call, ['customer', 'usage', 'metadata', 'allowed_payment_method_types', 'payment_method', 'confirm'])
  const customer = textOf(params, 'customer')
  const known = customer === undefined ? null : found(state.customers, 'customer', customer, 'customer')
  if (textsOf(params, 'allowed_payment_method_types').some((type) => type !== 'card'))
    throw invalid('This simulator has cards.', { param: 'allowed_payment_method_types' })
  const id = nextId(state, 'seti')
  const intent: SetupIntent = {
    id,
    created: timeOf(state, known?.timeline ?? state.account),
    metadata: changedMetadata(params, {}),
    secret: secretOf(id),
    customer: known?.id ?? null,
    usage: choiceOf(params, 'usage', ['off_session', 'on_session']) ?? 'off_session',
    status: 'requires_payment_method',
    method: null,
    error: null,
  }
  state.setupIntents.set(id, intent)
  tell(state, intent, 'created')
  const method = textOf(params, 'payment_method')
  if (method !== undefined) {
    intent.method = methodOf(state, method, 'payment_method').id
    intent.status = 'requires_confirmation'
  }
  return textOf(params, 'confirm') === 'true' ? confirm(call, intent) : setupIntentBody(state, intent)
}

/** One that the asker may know: browsers have to know its secret. */
function visible<T extends { readonly secret: string }>(
  { params, ids: [id], isPublic }: Call,
  intents: ReadonlyMap<string, T>,
  noun: string,
): T {
  const intent = found(intents, noun, id, 'intent')
  const secret = textOf(params, 'client_secret')
  if (secret === undefined && isPublic)
    throw invalid('Missing required param: client_secret.', { code: 'parameter_missing', param: 'client_secret' })
  if (secret !== undefined && secret !== intent.secret)
    throw invalid(`No such ${noun}: '${id}'`, { code: 'resource_missing', param: 'intent', status: 404 })
  return intent
}

export function retrieveSetupIntent(call: Call): Json {
  return setupIntentBody(call.state, visible(call, call.state.setupIntents, 'setupintent'), call.isPublic)
}

export function confirmSetupIntent(call: Call): Json {
  knowOnly(call, ['key', 'client_secret', 'payment_method', 'payment_method_data', 'return_url', 'use_stripe_sdk'])
  return confirm(call, visible(call, call.state.setupIntents, 'setupintent'))
}

export function cancelSetupIntent({ state, ids: [id] }: Call): Json {
  const intent = found(state.setupIntents, 'setupintent', id, 'intent')
  if (intent.status === 'succeeded' || intent.status === 'canceled') throw unexpectedState(intent)
  intent.status = 'canceled'
  tell(state, intent, 'canceled')
  return setupIntentBody(state, intent)
}

const unexpectedState = ({ status }: SetupIntent) =>
  invalid(
    status === 'succeeded'
      ? 'You cannot confirm this SetupIntent because it has already succeeded.'
      : `You cannot do this with a SetupIntent that has a status of ${status}.`,
    { code: 'setup_intent_unexpected_state' },
  )

function confirm({ state, params, isPublic }: Call, intent: SetupIntent): Json {
  if (intent.status === 'succeeded' || intent.status === 'canceled') throw unexpectedState(intent)
  const card = sentCard(state, params, isPublic) ?? keptCard(state, intent)
  if (!card)
    throw invalid('You cannot confirm this SetupIntent because it is missing a payment method.', {
      code: 'setup_intent_unexpected_state',
    })
  intent.method = card.id
  const outcome = outcomeOf(card, 'setup', timeOf(state, timelineOf(state, intent)))
  if (outcome === 'authenticate') {
    intent.status = 'requires_action'
    intent.error = null
    tell(state, intent, 'requires_action')
  } else if (outcome === null) succeed(state, intent)
  else {
    failSetup(state, intent, outcome)
    const more = { ...errorBody(state, outcome, card.id), setup_intent: setupIntentBody(state, intent, isPublic) }
    throw refusedCard(outcome, more)
  }
  return setupIntentBody(state, intent, isPublic)
}

/** The card that an intent has already; one that was refused has to be sent again. */
const keptCard = (state: StripeState, { status, method }: SetupIntent | PaymentIntent): PaymentMethod | undefined =>
  status === 'requires_payment_method' ? undefined : state.methods.get(method ?? '')

/** The card that a confirmation brings; null: none. Only browsers send numbers. */
function sentCard(state: StripeState, params: Json, isPublic: boolean): PaymentMethod | null {
  const id = textOf(params, 'payment_method')
  if (id !== undefined) return methodOf(state, id, 'payment_method')
  if (params['payment_method_data'] === undefined) return null
  if (!isPublic) throw invalid('Sending credit card numbers directly to the Stripe API is generally unsafe.')
  const data = objectOf(params, 'payment_method_data')
  const card = objectOf(data, 'card')
  const number = requiredText(card, 'number').replaceAll(/\s/g, '')
  const [expMonth = 0, year = 0] = [integerOf(card, 'exp_month'), integerOf(card, 'exp_year')]
  const expYear = year < 100 ? 2000 + year : year
  const wrong = (code: string, param: string, message: string): IntentError => ({
    type: 'card_error',
    code,
    param,
    message,
  })
  if (expMonth < 1 || expMonth > 12)
    throw refusedCard(wrong('invalid_expiry_month', 'exp_month', "Your card's expiration month is invalid."))
  if (Date.UTC(expYear, expMonth, 1) <= state.options.now() || expYear > 2100)
    throw refusedCard(wrong('invalid_expiry_year', 'exp_year', "Your card's expiration year is invalid."))
  if (!/^\d{3,4}$/.test(requiredText(card, 'cvc')))
    throw refusedCard(wrong('invalid_cvc', 'cvc', "Your card's security code is invalid."))
  const sent = objectOf(data, 'billing_details')
  const billing = { name: textOf(sent, 'name') ?? null, email: textOf(sent, 'email') ?? null, address: addressOf(sent) }
  return addMethod(state, { number, expMonth, expYear, billing })
}

function succeed(state: StripeState, intent: SetupIntent): void {
  const card = state.methods.get(intent.method ?? '')
  const customer = state.customers.get(intent.customer ?? '')
  intent.status = 'succeeded'
  intent.error = null
  if (card && customer) attachTo(state, customer, card)
  tell(state, intent, 'succeeded')
}

function failSetup(state: StripeState, intent: SetupIntent, error: IntentError): void {
  intent.status = 'requires_payment_method'
  intent.error = error
  tell(state, intent, 'setup_failed')
}

export function retrievePaymentIntent(call: Call): Json {
  return paymentIntentBody(call.state, visible(call, call.state.paymentIntents, 'payment_intent'), call.isPublic)
}

export function confirmPaymentIntent(call: Call): Json {
  const { state, params, isPublic } = call
  knowOnly(call, ['key', 'client_secret', 'payment_method', 'return_url', 'use_stripe_sdk'])
  const intent = visible(call, state.paymentIntents, 'payment_intent')
  const invoice = state.invoices.get(intent.invoice)
  if (!invoice || intent.status === 'succeeded' || intent.status === 'canceled')
    throw invalid(`You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`, {
      code: 'payment_intent_unexpected_state',
    })
  const id = textOf(params, 'payment_method')
  const card = id === undefined ? keptCard(state, intent) : methodOf(state, id, 'payment_method')
  if (!card)
    throw invalid('You cannot confirm this PaymentIntent because it is missing a payment method.', {
      code: 'payment_intent_unexpected_state',
    })
  const outcome = payInvoice(state, invoice, card)
  if (typeof outcome === 'object') throw refusedPayment(state, intent, outcome, isPublic)
  return paymentIntentBody(state, intent, isPublic)
}

const refusedPayment = (state: StripeState, intent: PaymentIntent, error: IntentError, isPublic: boolean) =>
  refusedCard(error, {
    ...errorBody(state, error, intent.method),
    payment_intent: paymentIntentBody(state, intent, isPublic),
  })

const unauthenticated = (noun: 'setup_intent' | 'payment_intent'): IntentError => ({
  type: noun === 'setup_intent' ? 'invalid_request_error' : 'card_error',
  code: `${noun}_authentication_failure`,
  message: 'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
})

/** What the customer's bank does with an answer to its question; the vendor leads there, and this stands for both. */
export function authenticate(call: Call): Json {
  const { state, params } = call
  const isRight = choiceOf(params, 'result', ['complete', 'fail']) === 'complete'
  if (call.ids[0]?.startsWith('seti_') === true) {
    const intent = visible(call, state.setupIntents, 'setupintent')
    if (intent.status !== 'requires_action') throw unexpectedState(intent)
    if (isRight) succeed(state, intent)
    else failSetup(state, intent, unauthenticated('setup_intent'))
    return setupIntentBody(state, intent, true)
  }
  const intent = visible(call, state.paymentIntents, 'payment_intent')
  if (intent.status !== 'requires_action')
    throw invalid('This PaymentIntent waits for nothing.', { code: 'payment_intent_unexpected_state' })
  if (isRight) settlePayment(state, intent)
  else failPayment(state, intent, unauthenticated('payment_intent'))
  return paymentIntentBody(state, intent, true)
}
