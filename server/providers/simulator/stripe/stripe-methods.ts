import { methodBody } from './stripe-bodies.ts'
import { cardTokens } from './stripe-cards.ts'
import { found, invalid, knowOnly, pageOf, requiredText, textOf, type Call } from './stripe-call.ts'
import { emit, nextId, timeOf, type Customer, type PaymentMethod, type StripeState } from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

/** A card by its id, which has to be attached to the customer. */
export function ownMethod(state: StripeState, customer: Customer, id: string | null): string | null {
  if (id === null) return null
  if (found(state.methods, 'PaymentMethod', id, 'payment_method').customer !== customer.id)
    throw invalid(
      'The customer does not have a payment method with the ID ' +
        `${id}. The payment method must be attached to the customer.`,
      { code: 'resource_missing', param: 'default_payment_method' },
    )
  return id
}

const tellMethod = (state: StripeState, method: PaymentMethod, type: string) => {
  const customer = state.customers.get(method.customer ?? '')
  emit(state, customer?.timeline ?? state.account, `payment_method.${type}`, methodBody(method))
}

/** Keeps a card. */
export function addMethod(
  state: StripeState,
  card: Pick<PaymentMethod, 'number' | 'expMonth' | 'expYear' | 'billing'>,
): PaymentMethod {
  const created = timeOf(state, state.account)
  const method: PaymentMethod = { ...card, id: nextId(state, 'pm'), created, metadata: {}, customer: null }
  state.methods.set(method.id, method)
  return method
}

/** A card by its id, or a new one by the name of a test card. */
export function methodOf(state: StripeState, id: string, param: string): PaymentMethod {
  const number = cardTokens[id]
  if (number === undefined) return found(state.methods, 'PaymentMethod', id, param)
  const expYear = new Date(state.options.now()).getUTCFullYear() + 3
  return addMethod(state, { number, expMonth: 12, expYear, billing: {} })
}

export function attachTo(state: StripeState, customer: Customer, method: PaymentMethod): void {
  if (method.customer !== null && method.customer !== customer.id)
    throw invalid('This PaymentMethod is attached to another customer.', { code: 'payment_method_unexpected_state' })
  if (method.customer === customer.id) return
  method.customer = customer.id
  tellMethod(state, method, 'attached')
}

export function attachMethod(call: Call): Json {
  knowOnly(call, ['customer'])
  const { state, params, ids } = call
  const customer = found(state.customers, 'customer', requiredText(params, 'customer'), 'customer')
  const method = methodOf(state, ids[0] ?? '', 'payment_method')
  attachTo(state, customer, method)
  return methodBody(method)
}

export function detachMethod(call: Call): Json {
  const { state, ids } = call
  const method = found(state.methods, 'PaymentMethod', ids[0], 'payment_method')
  const customer = state.customers.get(method.customer ?? '')
  if (!customer)
    throw invalid('The payment method you provided is not attached to a customer so detachment is impossible.')
  if (customer.defaultMethod === method.id) customer.defaultMethod = null
  for (const one of state.subscriptions.values()) if (one.defaultMethod === method.id) one.defaultMethod = null
  method.customer = null
  tellMethod(state, method, 'detached')
  return methodBody(method)
}

export function retrieveMethod({ state, ids }: Call): Json {
  return methodBody(found(state.methods, 'PaymentMethod', ids.at(-1), 'payment_method'))
}

/** Those of a customer, named by the path or by a parameter. */
export function listMethods(call: Call): Json {
  const { state, params, ids } = call
  const customer = ids[0] ?? requiredText(params, 'customer')
  found(state.customers, 'customer', customer, 'customer')
  const type = textOf(params, 'type') ?? 'card'
  const methods = [...state.methods.values()].filter((one) => one.customer === customer && type === 'card')
  return pageOf(
    call,
    ids[0] === undefined
      ? { url: '/v1/payment_methods', filters: ['customer', 'type'] }
      : { url: `/v1/customers/${customer}/payment_methods`, filters: ['type'] },
    methods,
    methodBody,
  )
}
