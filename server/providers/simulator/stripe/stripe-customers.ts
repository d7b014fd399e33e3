import { randomBytes } from 'node:crypto'
import { customerBody, taxIdBody } from './stripe-bodies.ts'
import {
  changedMetadata,
  changedText,
  choiceOf,
  found,
  invalid,
  isCreatedAsAsked,
  knowOnly,
  listOf,
  objectOf,
  pageOf,
  requiredText,
  textOf,
  type Call,
} from './stripe-call.ts'
import { ownMethod } from './stripe-methods.ts'
import { emit, nextId, timeOf, type Customer, type StripeState, type TaxId } from './stripe-state.ts'
import { cancelSubscription } from './stripe-subscriptions.ts'
import type { Json } from './stripe-webhooks.ts'

const tell = (state: StripeState, customer: Customer, type: string) =>
  emit(state, customer.timeline, `customer.${type}`, customerBody(customer))

const fields = ['address', 'description', 'email', 'invoice_settings', 'metadata', 'name', 'phone', 'tax_exempt']

/** A customer that is there. */
function customerOf({ state, ids: [id] }: Call): Customer {
  const customer = found(state.customers, 'customer', id)
  if (customer.isDeleted)
    throw invalid(`No such customer: '${id}'`, { code: 'resource_missing', param: 'id', status: 404 })
  return customer
}

export function createCustomer(call: Call): Json {
  const { state, params } = call
  knowOnly(call, [...fields, 'tax_id_data', 'test_clock'])
  const clock = textOf(params, 'test_clock')
  const timeline = clock === undefined ? state.account : found(state.clocks, 'test clock', clock, 'test_clock')
  const customer: Customer = {
    id: nextId(state, 'cus'),
    created: timeOf(state, timeline),
    metadata: {},
    timeline,
    name: null,
    email: null,
    phone: null,
    description: null,
    address: null,
    defaultMethod: null,
    balance: 0,
    taxExempt: 'none',
    taxIds: [],
    prefix: randomBytes(4).toString('hex').toUpperCase(),
    invoiceCount: 0,
    isDeleted: false,
  }
  change(call, customer)
  for (const data of listOf(params, 'tax_id_data')) addTaxId(state, customer, data)
  state.customers.set(customer.id, customer)
  tell(state, customer, 'created')
  return customerBody(customer)
}

function change({ state, params }: Call, customer: Customer): void {
  const settings = objectOf(params, 'invoice_settings')
  const unknown = Object.keys(settings).find((name) => name !== 'default_payment_method')
  if (unknown !== undefined)
    throw invalid(`Received unknown parameter: invoice_settings[${unknown}]`, { code: 'parameter_unknown' })
  const method = changedText(settings, 'default_payment_method', customer.defaultMethod)
  customer.defaultMethod = ownMethod(state, customer, method)
  customer.metadata = changedMetadata(params, customer.metadata)
  for (const name of ['name', 'email', 'phone', 'description'] as const)
    customer[name] = changedText(params, name, customer[name])
  if (params['address'] !== undefined) customer.address = addressOf(params)
  customer.taxExempt = choiceOf(params, 'tax_exempt', ['none', 'exempt', 'reverse']) ?? customer.taxExempt
}

const addressFields = ['city', 'country', 'line1', 'line2', 'postal_code', 'state']

/** An address that was sent; null for an empty one. */
export function addressOf(params: Json): Json | null {
  if (params['address'] === undefined || params['address'] === '') return null
  const sent = objectOf(params, 'address')
  return Object.fromEntries(addressFields.map((name) => [name, changedText(sent, name, null)]))
}

export function retrieveCustomer({ state, ids: [id] }: Call): Json {
  return customerBody(found(state.customers, 'customer', id))
}

export function updateCustomer(call: Call): Json {
  knowOnly(call, fields)
  const customer = customerOf(call)
  change(call, customer)
  tell(call.state, customer, 'updated')
  return customerBody(customer)
}

/** Its subscriptions end with it. */
export function deleteCustomer(call: Call): Json {
  const customer = customerOf(call)
  for (const subscription of call.state.subscriptions.values())
    if (subscription.customer === customer && subscription.endedAt === null)
      cancelSubscription(call.state, subscription, null)
  customer.isDeleted = true
  tell(call.state, customer, 'deleted')
  return customerBody(customer)
}

export function listCustomers(call: Call): Json {
  const { state, params } = call
  const isAsked = isCreatedAsAsked(call)
  const [email, clock] = [textOf(params, 'email'), textOf(params, 'test_clock')]
  const customers = [...state.customers.values()].filter(
    (one) =>
      !one.isDeleted &&
      isAsked(one) &&
      (email === undefined || one.email === email) &&
      (clock === undefined ? one.timeline.id === null : one.timeline.id === clock),
  )
  return pageOf(call, { url: '/v1/customers', filters: ['email', 'test_clock', 'created'] }, customers, customerBody)
}

/** How far a search can be behind. */
const lagSeconds = 60

/** Only by metadata, as `metadata["key"]:"value"`. */
export function searchCustomers(call: Call): Json {
  const { state, params, effect } = call
  const clauses = requiredText(params, 'query')
    .split(/ and /i)
    .map((clause) => /^\s*metadata\[(["'])(?<key>[^"']+)\1\]:(["'])(?<value>[^"']*)\3\s*$/.exec(clause)?.groups)
  if (!clauses.every((one) => one !== undefined)) throw invalid('This simulator searches metadata.', { param: 'query' })
  const customers = [...state.customers.values()].filter(
    (one) =>
      !one.isDeleted &&
      (effect !== 'lag' || one.created + lagSeconds <= timeOf(state, one.timeline)) &&
      clauses.every(({ key = '', value }) => Object.hasOwn(one.metadata, key) && one.metadata[key] === value),
  )
  const page = pageOf(call, { url: '/v1/customers/search', filters: ['query'] }, customers, customerBody)
  return { ...page, object: 'search_result', next_page: null }
}

function addTaxId(state: StripeState, customer: Customer, data: Json): TaxId {
  const created = timeOf(state, customer.timeline)
  // Of the formats, it knows that of the European Union.
  if (data['type'] === 'eu_vat' && !/^[A-Z]{2}[\dA-Z+*]{8,12}$/.test(requiredText(data, 'value')))
    throw invalid('Invalid value for eu_vat.', { code: 'tax_id_invalid', param: 'value' })
  const taxId = {
    id: nextId(state, 'txi'),
    created,
    type: requiredText(data, 'type'),
    value: requiredText(data, 'value'),
  }
  customer.taxIds.push(taxId)
  return taxId
}

export function createTaxId(call: Call): Json {
  knowOnly(call, ['type', 'value'])
  const customer = customerOf(call)
  return taxIdBody(customer, addTaxId(call.state, customer, call.params))
}

export function listTaxIds(call: Call): Json {
  const customer = customerOf(call)
  return pageOf(call, { url: `/v1/customers/${customer.id}/tax_ids` }, customer.taxIds, (taxId) =>
    taxIdBody(customer, taxId),
  )
}

export function deleteTaxId(call: Call): Json {
  const customer = customerOf(call)
  const place = customer.taxIds.findIndex(({ id }) => id === call.ids[1])
  if (place < 0) throw invalid(`No such tax ID: '${call.ids[1]}'`, { code: 'resource_missing', status: 404 })
  const [taxId] = customer.taxIds.splice(place, 1)
  return { id: taxId?.id, object: 'tax_id', deleted: true }
}
