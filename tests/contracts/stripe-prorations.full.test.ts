/** Prorations of the simulated Stripe: whatever changes in a month, what is billed is what was used. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prorated } from '#server/providers/simulator/stripe/stripe-money.ts'
import { customerWithCard, start, startStripe } from './vendors/stripe-under-test.ts'

test('a share is right to half a cent, and a whole and its parts are the same', () => {
  const amount = fc.integer({ min: 0, max: 10 ** 9 })
  const whole = fc.integer({ min: 1, max: 400 * 86_400 })
  fc.assert(
    fc.property(amount, whole, fc.nat(), (cents, of, some) => {
      const seconds = some % (of + 1)
      const share = BigInt(prorated(cents, seconds, of))
      const error = 2n * (share * BigInt(of) - BigInt(cents) * BigInt(seconds))
      expect(error >= -BigInt(of) && error <= BigInt(of)).toBe(true)
      const rest = prorated(cents, of - seconds, of)
      expect(Math.abs(Number(share) + rest - cents)).toBeLessThanOrEqual(1)
      expect([prorated(cents, 0, of), prorated(cents, of, of)]).toEqual([0, cents])
    }),
    { numRuns: 5000 },
  )
})

test('whatever price when: previews hold, nothing is lost, and what is billed is what was used', async () => {
  const { stripe } = await startStripe()
  const period = 31 * 86_400
  const change = fc.record({
    amount: fc.integer({ min: 0, max: 50_000 }),
    after: fc.integer({ min: 0, max: period / 3 }),
    behavior: fc.constantFrom('always_invoice' as const, 'create_prorations' as const),
  })
  const lives = fc.record({ first: fc.integer({ min: 1, max: 50_000 }), changes: fc.array(change, { maxLength: 6 }) })
  const priceOf = async (unit_amount: number) => {
    const recurring = { interval: 'month' } as const
    return (await stripe.prices.create({ currency: 'eur', unit_amount, recurring, product_data: { name: 'Plan' } })).id
  }

  await fc.assert(
    fc.asyncProperty(lives, async ({ first, changes }) => {
      const begin = start / 1000
      const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: begin })
      const { id: customer } = await customerWithCard(stripe, 'pm_card_visa', clock)
      const made = await stripe.subscriptions.create({ customer, items: [{ price: await priceOf(first) }] })
      const item = made.items.data[0]?.id ?? ''
      let [now, amount, used] = [begin, first, 0n]
      for (const { amount: next, after, behavior } of changes) {
        const to = Math.min(now + after, begin + period - 1)
        if (to > now) await stripe.testHelpers.testClocks.advance(clock, { frozen_time: to })
        used += BigInt(amount) * BigInt(to - now)
        ;[now, amount] = [to, next]
        const update = { items: [{ id: item, price: await priceOf(next) }], proration_behavior: behavior }
        const preview = await stripe.invoices.createPreview({ subscription: made.id, subscription_details: update })
        const updated = await stripe.subscriptions.update(made.id, { ...update, expand: ['latest_invoice'] })
        if (behavior === 'always_invoice') expect(updated.latest_invoice).toMatchObject({ total: preview.total })
      }
      used += BigInt(amount) * BigInt(begin + period - now)
      const upcoming = await stripe.invoices.createPreview({ subscription: made.id })
      await stripe.testHelpers.testClocks.advance(clock, { frozen_time: begin + period + 3600 })

      const invoices = await stripe.invoices.list({ customer, limit: 100 }).autoPagingToArray({ limit: 1000 })
      const [renewal] = invoices
      expect([renewal?.total, renewal?.amount_due]).toEqual([upcoming.total, upcoming.amount_due])
      for (const { lines, total, status, amount_paid, amount_due } of invoices) {
        expect(lines.data.reduce((sum, line) => sum + line.amount, 0)).toBe(total)
        expect([status, amount_paid]).toEqual(['paid', amount_due])
      }
      const billed = invoices.reduce((sum, { total }) => sum + total, 0)
      const paid = invoices.reduce((sum, { amount_paid }) => sum + amount_paid, 0)
      const after = await stripe.customers.retrieve(customer)
      // Credit is money, too.
      expect(billed).toBe(paid + ('balance' in after ? after.balance : 0))
      const error = BigInt(billed - amount) * BigInt(period) - used
      const most = BigInt(changes.length) * BigInt(period)
      expect(error >= -most && error <= most, `${error} of ${most}`).toBe(true)
    }),
    { numRuns: 60 },
  )
})
