import { expect, test } from 'vitest'
import type Stripe from 'stripe'
import { confirmCard, start, startStripe, stripeKeys } from './vendors/stripe-under-test.ts'

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

  const { data: prices } = await stripe.prices.list({ lookup_keys: ['easydash_starter_monthly'], expand: ['data.product'] })
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
  expect(await stripe.invoices.pay(first.id ?? '')).toMatchObject({ status: 'paid', amount_paid: 1200, amount_remaining: 0 })
  const active = await stripe.subscriptions.retrieve(created.id)
  expect(active.status).toBe('active')

  // A third of January's 31 days later, to the second.
  const third = start / 1000 + (31 * day) / 4
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: third })
  expect(await stripe.testHelpers.testClocks.retrieve(clock.id)).toMatchObject({ status: 'ready', frozen_time: third })
  const [item] = active.items.data
  const change = { items: [{ id: item?.id ?? '', price: growth.id }], proration_behavior: 'always_invoice' } as const
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
  expect(await stripe.subscriptions.retrieve(created.id)).toMatchObject({ status: 'canceled', ended_at: ending.cancel_at })
  expect((await stripe.subscriptions.list({ customer: customer.id })).data).toEqual([])

  const invoices = await stripe.invoices.list({ customer: customer.id, status: 'paid' }).autoPagingToArray({ limit: 10 })
  expect(invoices.map(({ amount_paid }) => amount_paid)).toEqual([1200, 2025, 1200])
  const pdf = await fetch(invoices[0]?.invoice_pdf ?? '')
  expect([pdf.headers.get('content-type'), (await pdf.text()).slice(0, 5)]).toEqual(['application/pdf', '%PDF-'])
  expect([...state.events.values()].map(({ type }) => type)).toEqual(
    expect.arrayContaining(['setup_intent.succeeded', 'invoice.paid', 'customer.subscription.deleted']),
  )
  expect(JSON.stringify(await (await fetch(`${vendor.url}/_simulator/state`)).json())).not.toContain(stripeKeys.secretKey)
})
