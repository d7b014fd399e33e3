import { createHash } from 'node:crypto'
import type { Fault, SimulatedVendor } from '../faults.ts'
import { tokenOf } from '../account.ts'
import type { ReceivedRequest, SimulatedResponse } from '../simulated-vendor.ts'
import { invoiceBody, subscriptionBody } from './stripe-billing-bodies.ts'
import { customerBody, methodBody } from './stripe-bodies.ts'
import {
  found,
  integerOf,
  invalid,
  isCreatedAsAsked,
  paramsOf,
  pageOf,
  Refusal,
  textOf,
  textsOf,
  type Call,
} from './stripe-call.ts'
import * as catalog from './stripe-catalog.ts'
import * as charges from './stripe-charges.ts'
import * as customers from './stripe-customers.ts'
import { expanded } from './stripe-expand.ts'
import * as intents from './stripe-intents.ts'
import * as invoices from './stripe-invoice-calls.ts'
import * as methods from './stripe-methods.ts'
import { respondPage } from './stripe-pages.ts'
import { scheduleBody } from './stripe-schedule-body.ts'
import * as schedules from './stripe-schedules.ts'
import { timeOf, type StripeOptions, type StripeState } from './stripe-state.ts'
import * as subscriptions from './stripe-subscriptions.ts'
import { advanceClock, createClock, passTime, retrieveClock } from './stripe-timeline.ts'
import { createWebhooks, eventBody, type Json, type Webhooks } from './stripe-webhooks.ts'

type Handler = (call: Call) => Json

const routes: Readonly<Record<string, Handler>> = {
  'GET /v1/products': catalog.listProducts,
  'POST /v1/products': catalog.createProduct,
  'GET /v1/products/:': catalog.retrieveProduct,
  'POST /v1/products/:': catalog.updateProduct,
  'GET /v1/prices': catalog.listPrices,
  'POST /v1/prices': catalog.createPrice,
  'GET /v1/prices/:': catalog.retrievePrice,
  'POST /v1/prices/:': catalog.updatePriceFields,
  'GET /v1/customers': customers.listCustomers,
  'POST /v1/customers': customers.createCustomer,
  'GET /v1/customers/search': customers.searchCustomers,
  'GET /v1/customers/:': customers.retrieveCustomer,
  'POST /v1/customers/:': customers.updateCustomer,
  'DELETE /v1/customers/:': customers.deleteCustomer,
  'GET /v1/customers/:/tax_ids': customers.listTaxIds,
  'POST /v1/customers/:/tax_ids': customers.createTaxId,
  'DELETE /v1/customers/:/tax_ids/:': customers.deleteTaxId,
  'GET /v1/customers/:/payment_methods': methods.listMethods,
  'GET /v1/customers/:/payment_methods/:': methods.retrieveMethod,
  'GET /v1/payment_methods': methods.listMethods,
  'GET /v1/payment_methods/:': methods.retrieveMethod,
  'POST /v1/payment_methods/:/attach': methods.attachMethod,
  'POST /v1/payment_methods/:/detach': methods.detachMethod,
  'POST /v1/setup_intents': intents.createSetupIntent,
  'GET /v1/setup_intents/:': intents.retrieveSetupIntent,
  'POST /v1/setup_intents/:/confirm': intents.confirmSetupIntent,
  'POST /v1/setup_intents/:/cancel': intents.cancelSetupIntent,
  'GET /v1/payment_intents/:': intents.retrievePaymentIntent,
  'POST /v1/payment_intents/:/confirm': intents.confirmPaymentIntent,
  'POST /_simulator/authenticate/:': intents.authenticate,
  'GET /v1/subscriptions': subscriptions.listSubscriptions,
  'POST /v1/subscriptions': subscriptions.createSubscription,
  'GET /v1/subscriptions/:': subscriptions.retrieveSubscription,
  'POST /v1/subscriptions/:': subscriptions.updateSubscription,
  'DELETE /v1/subscriptions/:': subscriptions.deleteSubscription,
  'GET /v1/subscription_schedules': schedules.listSchedules,
  'POST /v1/subscription_schedules': schedules.createSchedule,
  'GET /v1/subscription_schedules/:': schedules.retrieveSchedule,
  'POST /v1/subscription_schedules/:': schedules.updateSchedule,
  'POST /v1/subscription_schedules/:/release': schedules.releaseSchedule,
  'GET /v1/invoices': invoices.listInvoices,
  'POST /v1/invoices/create_preview': invoices.previewInvoice,
  'GET /v1/invoices/:': invoices.retrieveInvoice,
  'POST /v1/invoices/:/pay': invoices.payOpenInvoice,
  'POST /v1/invoices/:/void': invoices.voidOpenInvoice,
  'GET /v1/charges': charges.listCharges,
  'GET /v1/disputes': charges.listDisputes,
  'GET /v1/events': listEvents,
  'GET /v1/events/:': ({ state, ids: [id] }) => eventBody(found(state.events, 'event', id)),
  'POST /v1/test_helpers/test_clocks': createClock,
  'GET /v1/test_helpers/test_clocks/:': retrieveClock,
  'POST /v1/test_helpers/test_clocks/:/advance': advanceClock,
  'POST /_simulator/credit/:': invoices.creditPaidInvoice,
  'POST /_simulator/refund/:': charges.refundPaidInvoice,
  'POST /_simulator/dispute/:': charges.disputePaidInvoice,
  'GET /_simulator/state': ({ state }) => stateBody(state),
  'POST /_simulator/pass': ({ state, params }) => {
    state.aheadSeconds += integerOf(params, 'seconds') ?? 0
    passTime(state, state.account, timeOf(state, state.account))
    return stateBody(state)
  },
}

/** What browsers may ask for, who know the publishable key. */
const publicRoutes = new Set([
  'GET /v1/setup_intents/:',
  'POST /v1/setup_intents/:/confirm',
  'GET /v1/payment_intents/:',
  'POST /v1/payment_intents/:/confirm',
])

/**
 * Stripe as far as Easydash uses it: customers and their cards, subscriptions with prorations, renewals and schedules, invoices, test
 * clocks and webhooks. At `/v3/` it has a stand-in for the browser script, at `/_simulator/state` what it knows.
 * `POST /_simulator/pass` with `seconds` lets time pass for customers without a test clock, `/_simulator/credit/{invoice}` and
 * `/_simulator/refund/{invoice}` with `amount` pay something back, by a credit note or without one, `/_simulator/dispute/{invoice}` with
 * `status` disputes a payment, `/_simulator/authenticate/{intent}` with `client_secret` and `result` answers for a bank.
 */
export function simulatedStripe(
  options: StripeOptions,
): SimulatedVendor & { readonly state: StripeState; readonly webhooks: Webhooks } {
  const webhooks = createWebhooks(options)
  const state: StripeState = {
    options,
    webhooks,
    account: { id: null, created: 0, name: null, frozen: null },
    aheadSeconds: 0,
    products: new Map(),
    prices: new Map(),
    customers: new Map(),
    methods: new Map(),
    setupIntents: new Map(),
    paymentIntents: new Map(),
    charges: new Map(),
    subscriptions: new Map(),
    schedules: new Map(),
    invoices: new Map(),
    clocks: new Map(),
    events: new Map(),
    base: '',
    lastId: 0,
  }
  const answers = new Map<string, KeptAnswer>()
  return { state, webhooks, errorOf, respond: (request, effect) => respond(state, answers, request, effect) }
}

function errorOf({ kind, retryAfterSeconds: wait }: Fault): SimulatedResponse {
  if (kind === 'under_way')
    return invalid('There is currently another in-progress request using this Stripe idempotency key.', {
      code: 'idempotency_key_in_use',
      status: 409,
    }).response
  if (kind !== 'rate_limit')
    return new Refusal(500, { type: 'api_error', message: 'An unknown error occurred.' }).response
  const { response } = invalid('Request rate limit exceeded.', { code: 'rate_limit', status: 429 })
  return { ...response, headers: wait === undefined ? {} : { 'retry-after': String(wait) } }
}

/** The answer to a request with an idempotency key. */
interface KeptAnswer {
  readonly sent: string
  readonly at: number
  readonly response: SimulatedResponse
}

/** How long an idempotency key is known. */
const keySeconds = 86_400

/** Browsers of any page may read. */
const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }

function respond(
  state: StripeState,
  answers: Map<string, KeptAnswer>,
  request: ReceivedRequest,
  effect: Call['effect'],
): SimulatedResponse | null {
  if (request.headers['host'] !== undefined) state.base = `http://${String(request.headers['host'])}`
  if (request.method === 'OPTIONS') return { status: 204, body: null, headers: cors }
  passTime(state, state.account, timeOf(state, state.account))
  const page = respondPage(state, request)
  if (page) return { ...page, headers: cors }
  const key = request.method === 'POST' ? request.headers['idempotency-key'] : undefined
  if (typeof key !== 'string') return answer(state, request, effect)
  const sent = createHash('sha256')
    .update(`${tokenOf(request)} ${request.path} ${request.body}`)
    .digest('hex')
  const now = state.options.now() / 1000
  const kept = answers.get(key)
  if (kept && kept.at + keySeconds > now) {
    if (kept.sent === sent)
      return { ...kept.response, headers: { ...kept.response.headers, 'idempotent-replayed': 'true' } }
    const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
    return new Refusal(400, { type: 'idempotency_error', message }).response
  }
  const response = answer(state, request, effect)
  // What was refused before anything was done can be sent again.
  if (response && (response.status < 400 || response.status === 402)) answers.set(key, { sent, at: now, response })
  return response
}

function answer(state: StripeState, request: ReceivedRequest, effect: Call['effect']): SimulatedResponse | null {
  try {
    const route = routeOf(request)
    if (!route) return null
    const params = paramsOf(request)
    const isPublic = isFromBrowser(state, request, params)
    if (isPublic && !publicRoutes.has(route.name) && !route.name.includes('/_simulator/'))
      throw invalid('This API call cannot be made with a publishable API key. Please use a secret API key.', {
        code: 'secret_key_required',
        status: 401,
      })
    const call: Call = { state, params, ids: route.ids, effect, isPublic }
    return { status: 200, body: expanded(call, route.handler(call)), ...(isPublic && { headers: cors }) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...error.response, headers: cors }
  }
}

/** Whether it has the publishable key. What has no right key is refused; the simulator's own calls need none. */
function isFromBrowser({ options }: StripeState, request: ReceivedRequest, params: Json): boolean {
  const key = textOf(params, 'key') ?? tokenOf(request)
  if (key === options.secretKey) return false
  if (key === options.publishableKey || request.path.startsWith('/_simulator/')) return true
  if (key === '') throw invalid('You did not provide an API key.', { status: 401 })
  throw invalid(`Invalid API Key provided: ${key.slice(0, 8)}***`, { status: 401 })
}

function routeOf({ method, path }: ReceivedRequest): { name: string; handler: Handler; ids: string[] } | null {
  const { pathname } = new URL(path, 'http://vendor')
  const exact = routes[`${method} ${pathname}`]
  if (exact) return { name: `${method} ${pathname}`, handler: exact, ids: [] }
  const parts = pathname.split('/')
  // Ids are the third and the fifth part: /v1/customers/{id}/tax_ids/{id}; of test helpers one later.
  const from = parts[2] === 'test_helpers' ? 4 : 3
  const isId = (at: number) => at === from || at === from + 2
  const name = `${method} ${parts.map((part, at) => (isId(at) ? ':' : part)).join('/')}`
  const handler = routes[name]
  return handler ? { name, handler, ids: parts.filter((_, at) => isId(at)).map(decodeURIComponent) } : null
}

function listEvents(call: Call): Json {
  const { state, params } = call
  const isAsked = isCreatedAsAsked(call)
  const type = textOf(params, 'type')
  const types = textsOf(params, 'types')
  const events = [...state.events.values()].filter(
    (one) =>
      isAsked(one) &&
      (type === undefined || one.type === type || (type.endsWith('.*') && one.type.startsWith(type.slice(0, -1)))) &&
      (types.length === 0 || types.includes(one.type)),
  )
  return pageOf(call, { url: '/v1/events', filters: ['type', 'types', 'created'] }, events, eventBody)
}

const stateBody = (state: StripeState): Json => ({
  now: timeOf(state, state.account),
  customers: [...state.customers.values()].map(customerBody),
  payment_methods: [...state.methods.values()].map(methodBody),
  subscriptions: [...state.subscriptions.values()].map(subscriptionBody),
  subscription_schedules: [...state.schedules.values()].map(scheduleBody),
  invoices: [...state.invoices.values()].map((invoice) => invoiceBody(state, invoice)),
  events: [...state.events.values()].map(({ id, type, created, isDelivered }) => ({
    id,
    type,
    created,
    delivered: isDelivered,
  })),
})
