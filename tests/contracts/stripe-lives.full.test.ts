/** What happens to subscriptions at the simulated Stripe as time passes. */
import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { taxIdTypes } from '#server/providers/stripe/tax-ids.ts'
import { askAsBrowser, customerWithCard, start, startStripe } from './vendors/stripe-under-test.ts'

const [hour, day] = [3600, 86_400]
const at = (...date: [number, number, number, number?]) => Date.UTC(...date) / 1000

/** A subscription that is paid for, by a customer on a clock of its own. */
async function subscribed(from = start / 1000, card?: string) {
  const running = await startStripe()
  const { stripe, starter } = running
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: from })
  const customer = await customerWithCard(stripe, card, clock)
  const { id, items } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: starter.id }] })
  const item = items.data[0]?.id ?? ''
  return {
    ...running,
    id,
    item,
    customer: customer.id,
    advance: (frozen_time: number) => stripe.testHelpers.testClocks.advance(clock, { frozen_time }),
    subscription: () => stripe.subscriptions.retrieve(id),
    upgrade: (more: Stripe.SubscriptionUpdateParams = {}) =>
      stripe.subscriptions.update(id, {
        items: [{ id: item, price: running.growth.id }],
        proration_behavior: 'always_invoice',
        payment_behavior: 'pending_if_incomplete',
        ...more,
      }),
    async payBy(token: string) {
      const method = await stripe.paymentMethods.attach(token, { customer: customer.id })
      await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: method.id } })
      return method.id
    },
    latest: async () => stripe.invoices.retrieve(String((await stripe.subscriptions.retrieve(id)).latest_invoice)),
  }
}

test('a renewal that is not paid is tried three times more, then the subscription ends', async () => {
  const { advance, payBy, subscription, latest } = await subscribed()
  await payBy('pm_card_chargeCustomerFail')
  await advance(at(2026, 1, 15, 12))
  expect(await latest()).toMatchObject({ status: 'draft', automatically_finalizes_at: at(2026, 1, 15, 13) })
  const first = at(2026, 1, 15, 13)
  for (const [attempt, days] of [3, 5, 7].entries()) {
    await advance(attempt === 0 ? first : first + ([3, 5][attempt - 1] ?? 0) * day)
    expect(await latest()).toMatchObject({
      status: 'open',
      attempt_count: attempt + 1,
      next_payment_attempt: first + days * day,
    })
    expect((await subscription()).status).toBe('past_due')
  }
  await advance(first + 7 * day)
  expect(await subscription()).toMatchObject({
    status: 'canceled',
    ended_at: first + 7 * day,
    cancellation_details: { reason: 'payment_failed' },
  })
  expect(await latest()).toMatchObject({ status: 'open', attempt_count: 4, next_payment_attempt: null })
})

test('a renewal is paid by another card, by hand or with the next attempt', async () => {
  const { stripe, advance, payBy, subscription, latest } = await subscribed()
  const failing = await payBy('pm_card_chargeCustomerFail')
  await advance(at(2026, 1, 15, 14))
  const { id } = await latest()
  await expect(stripe.invoices.pay(id)).rejects.toMatchObject({ code: 'card_declined', statusCode: 402 })
  const good = await payBy('pm_card_mastercard')
  await expect(stripe.invoices.pay(id, { payment_method: failing })).rejects.toThrow('declined')
  expect(await stripe.invoices.pay(id, { payment_method: good })).toMatchObject({ status: 'paid', amount_paid: 1200 })
  expect((await subscription()).status).toBe('active')
  await expect(stripe.invoices.pay(id)).rejects.toThrow('already paid')

  await payBy('pm_card_chargeCustomerFail')
  await advance(at(2026, 2, 15, 14))
  expect((await subscription()).status).toBe('past_due')
  await payBy('pm_card_visa')
  await advance(at(2026, 2, 18, 14))
  expect([(await subscription()).status, (await latest()).status]).toEqual(['active', 'paid'])
})

test('a card that has expired pays no renewal', async () => {
  const { advance, subscription, state, latest } = await subscribed()
  const [card] = state.methods.values()
  if (card) state.methods.set(card.id, { ...card, expMonth: 1, expYear: 2026 })
  await advance(at(2026, 1, 15, 14))
  const invoice = await latest()
  expect([(await subscription()).status, invoice.status]).toEqual(['past_due', 'open'])
  expect([...state.paymentIntents.values()].at(-1)?.error).toMatchObject({ code: 'expired_card' })
})

test('an upgrade waits for its payment: it comes, is given up, is replaced, or its time is over', async () => {
  const { stripe, advance, payBy, subscription, upgrade, starter, growth } = await subscribed()
  await payBy('pm_card_authenticationRequired')
  const price = async () => (await subscription()).items.data[0]?.price.id
  const waiting = await upgrade()
  expect([waiting.status, waiting.pending_update?.subscription_items?.[0]?.price.id, await price()]).toEqual([
    'active',
    growth.id,
    starter.id,
  ])
  const [expired, replaced] = [String(waiting.latest_invoice), String((await upgrade()).latest_invoice)]
  expect((await stripe.invoices.retrieve(expired)).status).toBe('void')
  await advance(start / 1000 + 23 * hour)
  expect([(await subscription()).pending_update, await price()]).toEqual([null, starter.id])
  expect((await stripe.invoices.retrieve(replaced)).status).toBe('void')

  const given = String((await upgrade()).latest_invoice)
  await stripe.invoices.voidInvoice(given)
  expect((await subscription()).pending_update).toBeNull()

  const paid = String((await upgrade()).latest_invoice)
  const good = await payBy('pm_card_visa')
  await stripe.invoices.pay(paid, { payment_method: good })
  expect([(await subscription()).pending_update, await price()]).toEqual([null, growth.id])
  await expect(upgrade({ cancel_at_period_end: true })).rejects.toThrow('pending_if_incomplete')
  await expect(upgrade({ items: [{ id: 'si_other', price: growth.id }] })).rejects.toMatchObject({
    code: 'resource_missing',
  })
})

test('credit that a void invoice had taken comes back', async () => {
  const { stripe, payBy, upgrade, customer, item, starter, state } = await subscribed()
  await upgrade()
  await upgrade({ items: [{ id: item, price: starter.id }] })
  const balance = () => state.customers.get(customer)?.balance
  expect(balance()).toBe(-2700)
  const recurring = { interval: 'month' as const }
  const pro = { currency: 'eur', unit_amount: 8900, recurring, product_data: { name: 'Pro' } }
  const { id: price } = await stripe.prices.create(pro)
  await payBy('pm_card_chargeCustomerFail')
  const { latest_invoice } = await upgrade({ items: [{ id: item, price }], expand: ['latest_invoice'] })
  expect([balance(), latest_invoice]).toMatchObject([0, { status: 'open', total: 7700, amount_due: 5000 }])
  await stripe.invoices.voidInvoice((latest_invoice as Stripe.Invoice).id ?? '')
  expect(balance()).toBe(-2700)
})

test('a first payment that never comes ends its subscription after 23 hours', async () => {
  const { stripe, advance, customer, starter } = await subscribed()
  const create = { customer, items: [{ price: starter.id }], payment_behavior: 'default_incomplete' as const }
  const { id, latest_invoice } = await stripe.subscriptions.create(create)
  const given = await stripe.subscriptions.create(create)
  await stripe.invoices.voidInvoice(String(given.latest_invoice))
  expect((await stripe.subscriptions.retrieve(given.id)).status).toBe('incomplete_expired')
  await advance(start / 1000 + 23 * hour)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('incomplete_expired')
  expect((await stripe.invoices.retrieve(String(latest_invoice))).status).toBe('void')
  const { data } = await stripe.subscriptions.list({ customer, status: 'all' })
  expect(data.map(({ status }) => status)).toEqual(['incomplete_expired', 'incomplete_expired', 'active'])
  const refused = { ...create, payment_behavior: 'error_if_incomplete' as const }
  await stripe.paymentMethods
    .attach('pm_card_chargeCustomerFail', { customer })
    .then(({ id: default_payment_method }) =>
      expect(stripe.subscriptions.create({ ...refused, default_payment_method })).rejects.toMatchObject({
        code: 'card_declined',
      }),
    )
  expect((await stripe.subscriptions.list({ customer, status: 'all' })).data.length).toBe(3)
})

test('months that end earlier do not move the day of later ones', async () => {
  const { advance, subscription, stripe, customer } = await subscribed(at(2026, 0, 31, 9))
  const ends: (number | undefined)[] = []
  for (const month of [2, 3, 4]) {
    await advance(at(2026, month - 1, 28, 23))
    ends.push((await subscription()).items.data[0]?.current_period_end)
  }
  expect(ends).toEqual([at(2026, 2, 31, 9), at(2026, 2, 31, 9), at(2026, 3, 30, 9)])
  const { data } = await stripe.invoices.list({ customer, limit: 1 })
  expect(data[0]?.lines.data[0]?.period).toEqual({ start: at(2026, 2, 31, 9), end: at(2026, 3, 30, 9) })
})

test('a schedule ends with its last phase, with its subscription, or takes it with it', async () => {
  const { stripe, advance, subscription, id, starter, growth } = await subscribed()
  const plan = async (end_behavior: 'release' | 'cancel', price = growth.id) => {
    const made = await stripe.subscriptionSchedules.create({ from_subscription: id })
    const [phase] = made.phases
    const [start_date, end_date] = [phase?.start_date ?? 0, phase?.end_date ?? 0]
    const items = [{ price: String(phase?.items[0]?.price) }]
    const next = { items: [{ price }], duration: { interval: 'month' as const, interval_count: 1 } }
    const phases = [
      { items, start_date, end_date },
      { ...next, proration_behavior: 'none' as const },
    ]
    return stripe.subscriptionSchedules.update(made.id, { end_behavior, phases })
  }
  const first = await plan('release')
  await expect(stripe.subscriptionSchedules.create({ from_subscription: id })).rejects.toThrow('already attached')
  await expect(
    stripe.subscriptionSchedules.update(first.id, {
      phases: [{ items: [{ price: starter.id }], start_date: 5, end_date: at(2026, 1, 15, 12) }],
    }),
  ).rejects.toThrow('start date of the current phase')
  await advance(at(2026, 1, 20))
  expect((await subscription()).items.data[0]?.price.id).toBe(growth.id)
  await advance(at(2026, 2, 20))
  expect(await stripe.subscriptionSchedules.retrieve(first.id)).toMatchObject({
    status: 'released',
    subscription: null,
  })
  await expect(stripe.subscriptionSchedules.release(first.id)).rejects.toThrow('released')
  expect((await subscription()).schedule).toBeNull()

  const second = await plan('cancel', starter.id)
  await advance(at(2026, 4, 20))
  expect([(await subscription()).status, (await stripe.subscriptionSchedules.retrieve(second.id)).status]).toEqual([
    'canceled',
    'completed',
  ])
  await expect(stripe.subscriptions.cancel(id)).rejects.toMatchObject({ code: 'resource_missing' })
})

test('what was paid can be paid back, and time passes for customers without a clock as well', async () => {
  const { stripe, starter, vendor } = await startStripe()
  const { id: customer } = await customerWithCard(stripe)
  const { id, latest_invoice } = await stripe.subscriptions.create({ customer, items: [{ price: starter.id }] })
  const back = (amount: string) => askAsBrowser(vendor, `/_simulator/credit/${String(latest_invoice)}`, { amount })
  expect([(await back('1201')).status, (await back('700')).status, (await back('501')).status]).toEqual([400, 200, 400])
  expect(await stripe.invoices.retrieve(String(latest_invoice))).toMatchObject({
    post_payment_credit_notes_amount: 700,
  })
  await askAsBrowser(vendor, '/_simulator/pass', { seconds: String(31 * day + hour) })
  expect(await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })).toMatchObject({
    status: 'active',
    latest_invoice: { status: 'paid', created: at(2026, 1, 15, 12), billing_reason: 'subscription_cycle' },
  })
})

test('what it does not know is refused, and lists go page by page', async () => {
  const { stripe, id, customer, starter } = await subscribed()
  const wrong = { trial_end: 'now' } as const
  await expect(stripe.subscriptions.update(id, wrong)).rejects.toMatchObject({
    code: 'parameter_unknown',
    param: 'trial_end',
  })
  await expect(stripe.customers.retrieve(customer, { expand: ['cards'] })).rejects.toThrow('cannot be expanded')
  await expect(stripe.prices.create({ currency: 'eur', product: 'prod_other', unit_amount: 5 })).rejects.toThrow(
    'recurring',
  )
  for (let at = 0; at < 7; at += 1)
    await stripe.customers.create({ name: `Customer ${at}`, metadata: { at: String(at) } })
  const all = await stripe.customers.list({ limit: 3 }).autoPagingToArray({ limit: 100 })
  expect(all.map(({ name }) => name)).toEqual([6, 5, 4, 3, 2, 1, 0].map((at) => `Customer ${at}`))
  expect((await stripe.customers.list({ created: { gt: start / 1000 } })).data).toEqual([])
  // The judge holds each to the vendor's list.
  for (const type of taxIdTypes)
    await stripe.customers.createTaxId(customer, { type, value: type === 'eu_vat' ? 'DE999999999' : '1' })
  for (const { id } of (await stripe.customers.listTaxIds(customer, { limit: 100 })).data)
    await stripe.customers.deleteTaxId(customer, id)
  await expect(stripe.customers.createTaxId(customer, { type: 'eu_vat', value: 'DE1' })).rejects.toMatchObject({
    code: 'tax_id_invalid',
  })
  const taxId = await stripe.customers.createTaxId(customer, { type: 'eu_vat', value: 'DE123456789' })
  expect(await stripe.customers.retrieve(customer, { expand: ['tax_ids'] })).toMatchObject({
    tax_ids: { data: [{ id: taxId.id, value: 'DE123456789' }] },
  })
  await stripe.customers.deleteTaxId(customer, taxId.id)
  const next = {
    currency: 'eur',
    product: String(starter.product),
    unit_amount: 1500,
    recurring: { interval: 'month' },
  } as const
  const lookup_key = starter.lookup_key ?? ''
  await expect(stripe.prices.create({ ...next, lookup_key })).rejects.toThrow('already uses that lookup key')
  const moved = await stripe.prices.create({ ...next, lookup_key, transfer_lookup_key: true })
  expect((await stripe.prices.list({ lookup_keys: [lookup_key] })).data.map((price) => price.id)).toEqual([moved.id])
  await stripe.customers.del(customer)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ id: customer, deleted: true })
})
