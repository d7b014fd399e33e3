/** Whatever is done to a subscription at the simulated Stripe, in whatever order: answers keep their form, and the money adds up. */
import fc from 'fast-check'
import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { customerWithCard, start, startStripe } from './vendors/stripe-under-test.ts'

const prices = ['starter', 'growth', 'free'] as const
const cards = ['pm_card_visa', 'pm_card_chargeCustomerFail', 'pm_card_authenticationRequired'] as const

const choice = fc.constantFrom

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: choice('pass' as const), hours: fc.integer({ min: 1, max: 25 * 24 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: choice('change' as const),
      price: choice(...prices),
      proration_behavior: choice('always_invoice' as const, 'create_prorations' as const, 'none' as const),
      payment_behavior: choice(
        'pending_if_incomplete' as const,
        'allow_incomplete' as const,
        'error_if_incomplete' as const,
        'default_incomplete' as const,
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: choice('card' as const), card: choice(...cards) }) },
  { weight: 2, arbitrary: fc.record({ do: choice('plan' as const), price: choice(...prices) }) },
  { weight: 2, arbitrary: fc.record({ do: choice('end' as const), cancel_at_period_end: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: choice('release' as const, 'pay' as const, 'void' as const, 'preview' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: choice('cancel' as const) }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

test('answers keep their form and the money adds up, whatever is done', async () => {
  const running = await startStripe()
  const { stripe, vendor, state } = running
  const free = {
    currency: 'eur',
    unit_amount: 0,
    recurring: { interval: 'month' as const },
    product_data: { name: 'Free' },
  }
  const ids = {
    starter: running.starter.id,
    growth: running.growth.id,
    free: (await stripe.prices.create(free)).id,
  }

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24, size: 'max' }), async (steps) => {
      let now = start / 1000
      const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: now })
      const { id: customer } = await customerWithCard(stripe, 'pm_card_visa', clock)
      const made = await stripe.subscriptions.create({ customer, items: [{ price: ids.starter }] })
      const { id } = made
      const item = made.items.data[0]?.id ?? ''
      const subscription = () => stripe.subscriptions.retrieve(id)
      const latest = async () => String((await subscription()).latest_invoice)

      async function take(one: Step): Promise<unknown> {
        switch (one.do) {
          case 'pass':
            now += one.hours * 3600
            return stripe.testHelpers.testClocks.advance(clock, { frozen_time: now })
          case 'change': {
            const { do: _, price, ...how } = one
            return stripe.subscriptions.update(id, { items: [{ id: item, price: ids[price] }], ...how })
          }
          case 'end':
            return stripe.subscriptions.update(id, { cancel_at_period_end: one.cancel_at_period_end })
          case 'card': {
            const method = await stripe.paymentMethods.attach(one.card, { customer })
            return stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } })
          }
          case 'plan': {
            const { id: schedule, phases } = await stripe.subscriptionSchedules.create({ from_subscription: id })
            const [phase] = phases
            if (!phase) throw new Error('A schedule without a phase')
            const { items, start_date, end_date } = phase
            const present = { items: [{ price: String(items[0]?.price) }], start_date, end_date }
            const next = { items: [{ price: ids[one.price] }], duration: { interval: 'month' as const } }
            return stripe.subscriptionSchedules.update(schedule, {
              end_behavior: 'release',
              phases: [present, { ...next, proration_behavior: 'none' }],
            })
          }
          case 'release':
            return stripe.subscriptionSchedules.release(String((await subscription()).schedule))
          case 'pay':
            return stripe.invoices.pay(await latest())
          case 'void':
            return stripe.invoices.voidInvoice(await latest())
          case 'preview':
            return stripe.invoices.createPreview({ subscription: id })
          case 'cancel':
            return stripe.subscriptions.cancel(id)
        }
      }

      for (const one of steps) {
        await take(one).catch((error: unknown) => {
          const isRefusal =
            error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError
          if (!isRefusal) throw error
        })
        await check(customer, id, now)
      }
    }),
    { numRuns: 100 },
  )

  async function check(customer: string, id: string, now: number): Promise<void> {
    expect(vendor.problems).toEqual([])
    const { status, items, ended_at, cancel_at, schedule } = await stripe.subscriptions.retrieve(id)
    const [item] = items.data
    const isLive = status === 'active' || status === 'past_due'
    expect([isLive, ended_at === null]).toEqual([ended_at === null, isLive])
    if (isLive && item) {
      expect(item.current_period_start).toBeLessThanOrEqual(now)
      expect(item.current_period_end).toBeGreaterThan(now)
      expect([null, item.current_period_end]).toContain(cancel_at)
    }
    const planned = schedule === null ? null : await stripe.subscriptionSchedules.retrieve(String(schedule))
    if (planned) expect(planned.status === 'active').toBe(isLive)

    const invoices = await stripe.invoices.list({ customer, limit: 100 }).autoPagingToArray({ limit: 1000 })
    let [total, due] = [0, 0]
    const periods: { start: number; end: number }[] = []
    const prorations: string[] = []
    for (const invoice of invoices) {
      if (invoice.status !== 'draft' && invoice.status !== 'void')
        [total, due] = [total + invoice.total, due + invoice.amount_due]
      if (invoice.status === 'paid') expect(invoice.amount_paid).toBe(invoice.amount_due)
      else expect(invoice.amount_paid).toBe(0)
      if (ended_at !== null) expect(invoice.next_payment_attempt).toBeNull()
      for (const line of invoice.lines.data)
        if (line.parent?.subscription_item_details?.proration === true) prorations.push(line.id)
        else periods.push(line.period)
    }
    const balance = state.customers.get(customer)?.balance ?? Number.NaN
    expect(balance).toBeLessThanOrEqual(0)
    expect(total).toBe(due + balance)
    // Nobody is billed twice for the same time, or the same change.
    expect(new Set(prorations).size).toBe(prorations.length)
    const inOrder = periods.toSorted((a, b) => a.start - b.start)
    for (const [at, period] of inOrder.entries()) expect(period.start).toBe(inOrder[at - 1]?.end ?? start / 1000)
  }
})
