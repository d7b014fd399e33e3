import { expect, test } from 'vitest'
import type Stripe from 'stripe'
import { serveVendor } from '#server/providers/simulator/simulated-vendor.ts'
import {
  askAsBrowser,
  confirmCard,
  customerWithCard,
  start,
  startStripe,
  stripeKeys,
} from './vendors/stripe-under-test.ts'

const day = 86_400

test('a customer adds a card, subscribes, upgrades, plans a downgrade, is billed again and cancels', async () => {
  const { stripe, vendor, starter, growth, state } = await startStripe()
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start / 1000 })
  const customer = await stripe.customers.create({
    name: 'Acme',
    email: 'ada@acme.example',
    metadata: { organization: 'acme' },
    address: { line1: '1 Street', country: 'DE' },
    test_clock: clock.id,
  })
  const intent = await stripe.setupIntents.create({
    customer: customer.id,
    usage: 'off_session',
    allowed_payment_method_types: ['card'],
    metadata: { organization: 'acme' },
  })
  expect(await confirmCard(vendor, intent)).toMatchObject({ status: 200, body: { status: 'succeeded', metadata: {} } })
  const confirmed = await stripe.setupIntents.retrieve(intent.id, { expand: ['payment_method'] })
  const method = confirmed.payment_method as Stripe.PaymentMethod
  expect(method).toMatchObject({
    customer: customer.id,
    card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 },
    billing_details: { name: 'Ada', address: { country: 'DE', line1: null } },
  })
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: method.id } })

  const { data: prices } = await stripe.prices.list({
    lookup_keys: ['easydash_starter_monthly'],
    expand: ['data.product'],
  })
  expect(prices).toMatchObject([{ id: starter.id, product: { name: 'Starter' } }])
  const created = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: starter.id }],
    payment_behavior: 'default_incomplete',
    metadata: { organization: 'acme' },
    expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments'],
  })
  const first = created.latest_invoice as Stripe.Invoice
  expect([created.status, first.status, first.amount_due, first.billing_reason]).toEqual([
    'incomplete',
    'open',
    1200,
    'subscription_create',
  ])
  expect(first.confirmation_secret?.client_secret).toMatch(/^pi_\w+_secret_/)
  expect(await stripe.invoices.pay(first.id ?? '')).toMatchObject({
    status: 'paid',
    amount_paid: 1200,
    amount_remaining: 0,
  })
  const active = await stripe.subscriptions.retrieve(created.id)
  expect(active.status).toBe('active')

  // A quarter of January's 31 days later, to the second.
  const quarter = start / 1000 + (31 * day) / 4
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: quarter })
  expect(await stripe.testHelpers.testClocks.retrieve(clock.id)).toMatchObject({
    status: 'ready',
    frozen_time: quarter,
  })
  const [item] = active.items.data
  const items = [{ id: item?.id ?? '', price: growth.id }]
  const change = { items, proration_behavior: 'always_invoice' as const }
  const preview = await stripe.invoices.createPreview({ subscription: created.id, subscription_details: change })
  const upgraded = await stripe.subscriptions.update(created.id, {
    ...change,
    payment_behavior: 'pending_if_incomplete',
    expand: ['latest_invoice'],
  })
  const second = upgraded.latest_invoice as Stripe.Invoice
  expect([preview.amount_due, second.amount_due, second.status]).toEqual([2025, 2025, 'paid'])
  expect(second.lines.data.map(({ amount }) => amount)).toEqual([-900, 2925])
  expect(upgraded.items.data[0]?.price.id).toBe(growth.id)

  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: created.id })
  const [phase] = schedule.phases
  const planned = await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: 'release',
    proration_behavior: 'none',
    phases: [
      { items: [{ price: growth.id }], start_date: phase?.start_date ?? 0, end_date: phase?.end_date ?? 0 },
      { items: [{ price: starter.id }], duration: { interval: 'month' }, proration_behavior: 'none' },
    ],
  })
  expect(planned.phases[1]).toMatchObject({ start_date: phase?.end_date, items: [{ price: starter.id }] })
  await expect(stripe.subscriptions.update(created.id, { cancel_at_period_end: true })).rejects.toThrow('managed by')
  expect(await stripe.invoices.createPreview({ subscription: created.id })).toMatchObject({ amount_due: 1200 })

  const renewal = Date.UTC(2026, 1, 15, 14) / 1000
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: renewal })
  const renewed = await stripe.subscriptions.retrieve(created.id, { expand: ['latest_invoice', 'schedule'] })
  expect(renewed).toMatchObject({
    status: 'active',
    items: { data: [{ price: { id: starter.id }, current_period_end: Date.UTC(2026, 2, 15, 12) / 1000 }] },
    latest_invoice: { status: 'paid', amount_paid: 1200, billing_reason: 'subscription_cycle' },
    schedule: { status: 'active', current_phase: { start_date: phase?.end_date } },
  })
  await stripe.subscriptionSchedules.release(schedule.id)

  const ending = await stripe.subscriptions.update(created.id, { cancel_at_period_end: true })
  expect([ending.cancel_at, ending.canceled_at]).toEqual([Date.UTC(2026, 2, 15, 12) / 1000, renewal])
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: Date.UTC(2026, 2, 16) / 1000 })
  expect(await stripe.subscriptions.retrieve(created.id)).toMatchObject({
    status: 'canceled',
    ended_at: ending.cancel_at,
  })
  expect((await stripe.subscriptions.list({ customer: customer.id })).data).toEqual([])

  const invoices = await stripe.invoices
    .list({ customer: customer.id, status: 'paid' })
    .autoPagingToArray({ limit: 10 })
  expect(invoices.map(({ amount_paid }) => amount_paid)).toEqual([1200, 2025, 1200])
  const pdf = await fetch(invoices[0]?.invoice_pdf ?? '')
  expect([pdf.headers.get('content-type'), (await pdf.text()).slice(0, 5)]).toEqual(['application/pdf', '%PDF-'])
  expect([...state.events.values()].map(({ type }) => type)).toEqual(
    expect.arrayContaining(['setup_intent.succeeded', 'invoice.paid', 'customer.subscription.deleted']),
  )
  expect(JSON.stringify(await (await fetch(`${vendor.url}/_simulator/state`)).json())).not.toContain(
    stripeKeys.secretKey,
  )
})

test('browsers confirm cards by the publishable key and the secret of one intent, and are told what the bank says', async () => {
  const { stripe, vendor, client, pass } = await startStripe()
  const { id: customer } = await stripe.customers.create({})
  const setUp = () => stripe.setupIntents.create({ customer })

  const declined = await setUp()
  expect(await confirmCard(vendor, declined, '4000000000000002')).toMatchObject({
    status: 402,
    body: { error: { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline' } },
  })
  expect(await stripe.setupIntents.retrieve(declined.id)).toMatchObject({
    status: 'requires_payment_method',
    last_setup_error: { code: 'card_declined', message: 'Your card was declined.' },
  })
  const number = '4000002500003155'
  for (const [result, status] of [
    ['fail', 'requires_payment_method'],
    ['complete', 'succeeded'],
  ] as const) {
    expect(await confirmCard(vendor, declined, number)).toMatchObject({ body: { status: 'requires_action' } })
    const fields = { client_secret: declined.client_secret ?? '', result }
    const answered = await askAsBrowser(vendor, `/_simulator/authenticate/${declined.id}`, fields)
    expect(answered.body).toMatchObject({ status })
  }
  expect((await stripe.paymentMethods.list({ customer })).data).toMatchObject([{ card: { last4: '3155' } }])
  expect(await confirmCard(vendor, declined)).toMatchObject({
    status: 400,
    body: { error: { code: 'setup_intent_unexpected_state' } },
  })

  const other = await setUp()
  const foreign = { ...other, client_secret: declined.client_secret }
  expect(await confirmCard(vendor, foreign)).toMatchObject({
    status: 404,
    body: { error: { code: 'resource_missing' } },
  })
  await expect(client(stripeKeys.publishableKey).customers.list()).rejects.toMatchObject({
    code: 'secret_key_required',
  })
  await expect(client('sk_live_other').customers.list()).rejects.toMatchObject({ statusCode: 401 })
  pass(10 * 365 * 86_400)
  expect(await confirmCard(vendor, other)).toMatchObject({ body: { error: { code: 'invalid_expiry_year' } } })
})

test('events are signed, and come twice, late or never as a test wants', async () => {
  const { stripe, webhooks, state } = await startStripe()
  const received: string[] = []
  let status = 200
  const receiver = await serveVendor(({ body, headers }) => {
    const signature = String(headers['stripe-signature'])
    const now = start
    const event = stripe.webhooks.constructEvent(body, signature, stripeKeys.webhookSecret, 300, undefined, now)
    received.push(event.type)
    return { status, body: {} }
  })
  const settled = async () => {
    await webhooks.settled()
    return received.splice(0)
  }
  webhooks.url = receiver.url
  await stripe.customers.create({})
  expect(await settled()).toEqual(['customer.created'])
  webhooks.plan = ({ type }) =>
    type === 'customer.created' ? 'send_twice' : type === 'customer.updated' ? 'hold' : 'lose'
  const { id } = await stripe.customers.create({})
  await stripe.customers.update(id, { name: 'Acme' })
  await stripe.customers.del(id)
  expect(await settled()).toEqual(['customer.created', 'customer.created'])
  const [held] = webhooks.held
  if (held) await webhooks.send(held)
  expect([await settled(), webhooks.held]).toEqual([['customer.updated'], []])

  webhooks.plan = () => 'send'
  status = 500
  await stripe.customers.create({})
  expect([await settled(), webhooks.held.length]).toEqual([['customer.created'], 1])
  const { data } = await stripe.events.list({ type: 'customer.*', limit: 2 })
  expect(data.map(({ type, pending_webhooks }) => [type, pending_webhooks])).toEqual([
    ['customer.created', 1],
    ['customer.deleted', 1],
  ])
  await receiver.close()
  for (const event of state.events.values()) await webhooks.send(event)
  expect(webhooks.held.length).toBe(state.events.size)
})

test('a repeated request is carried out once, and another one with its key not at all', async () => {
  const { stripe, faults, state } = await startStripe()
  const key = { idempotencyKey: 'customer-acme' }
  faults.push(
    { kind: 'lose_answer', on: 'POST /v1/customers' },
    { kind: 'server_error', on: 'POST /v1/customers', after: 1 },
  )
  const first = await stripe.customers.create({ name: 'Acme' }, key)
  const again = await stripe.customers.create({ name: 'Acme' }, key)
  expect([again.id, state.customers.size]).toEqual([first.id, 1])
  await expect(stripe.customers.create({ name: 'Globex' }, key)).rejects.toMatchObject({
    type: 'StripeIdempotencyError',
  })
  faults.push({ kind: 'rate_limit', on: 'GET /v1/customers', retryAfterSeconds: 1 })
  await expect(stripe.customers.list()).rejects.toMatchObject({ statusCode: 429, code: 'rate_limit' })
  expect((await stripe.customers.search({ query: "metadata['organization']:'acme'" })).data).toEqual([])
  await stripe.customers.update(first.id, { metadata: { organization: 'acme' } })
  expect((await stripe.customers.search({ query: "metadata['organization']:'acme'" })).data).toMatchObject([
    { id: first.id },
  ])
  faults.push({ kind: 'lag', on: 'GET /v1/customers/search' })
  expect((await stripe.customers.search({ query: "metadata['organization']:'acme'" })).data).toEqual([])
  expect(state.customers.get(first.id)?.metadata).toEqual({ organization: 'acme' })
})

test('a first payment that needs authentication waits for the browser, and nothing is had before it', async () => {
  const { stripe, vendor, starter } = await startStripe()
  const { id: customer } = await customerWithCard(stripe, 'pm_card_authenticationRequired')
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price: starter.id }],
    payment_behavior: 'default_incomplete',
    expand: ['latest_invoice.confirmation_secret'],
  })
  const invoice = made.latest_invoice as Stripe.Invoice
  const id = invoice.id ?? ''
  await expect(stripe.invoices.pay(id)).rejects.toMatchObject({ code: 'invoice_payment_intent_requires_action' })
  expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('incomplete')
  const secret = invoice.confirmation_secret?.client_secret ?? ''
  const [payment = ''] = secret.split('_secret_')
  const confirm = { key: stripeKeys.publishableKey, client_secret: secret }
  const confirmed = await askAsBrowser(vendor, `/v1/payment_intents/${payment}/confirm`, confirm)
  expect(confirmed.body).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } })
  await askAsBrowser(vendor, `/_simulator/authenticate/${payment}`, { client_secret: secret, result: 'complete' })
  expect(await stripe.subscriptions.retrieve(made.id, { expand: ['latest_invoice.payments'] })).toMatchObject({
    status: 'active',
    latest_invoice: { status: 'paid', payments: { data: [{ payment: { payment_intent: payment }, status: 'paid' }] } },
  })
})
