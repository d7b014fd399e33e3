/** Whether our state of an organization's plan is that of the provider. */
import { expect } from 'vitest'
import { planOfPrice } from '#server/providers/stripe/prices.ts'
import { amountsOf } from '#server/providers/simulator/stripe/stripe-money.ts'
import type { Invoice as ProviderInvoice } from '#server/providers/simulator/stripe/stripe-state.ts'
import { freePlan } from '#shared/rules/plans.ts'
import type { PaidPlans } from './paid-plans.ts'

/** What an organization pays for at the provider. */
export const liveOf = (p: PaidPlans, slug: string) =>
  p.subscriptionsOf(slug).filter(({ status }) => status === 'active' || status === 'past_due')

/** Invoices of an organization at the provider. */
export const invoicesOf = (p: PaidPlans, slug: string): ProviderInvoice[] =>
  [...p.state.invoices.values()].filter(({ customer }) => customer.metadata['organization'] === slug)

/** As ours say it; what nobody was asked for yet is none. */
const statuses = { draft: null, open: ['Open', 'Overdue', 'Void'], paid: ['Paid'], void: ['Void'] } as const

const ended = ['canceled', 'incomplete_expired']

/** Fails unless plan, cards and invoices are what the provider says, to the cent, and nobody paid twice. */
export async function expectProvidersState(p: PaidPlans, slug: string): Promise<void> {
  const [subscription] = liveOf(p, slug)
  const customers = p.customersOf(slug)
  expect(customers.length).toBeLessThanOrEqual(1)
  const organization = await p.inSystem((tx) => tx.get('Organization', slug))
  const row = await p.row(slug)
  const price = subscription?.price
  const plan = price ? planOfPrice({ metadata: { ...price.metadata }, lookup_key: price.lookupKey }) : freePlan
  expect([organization?.['plan'], row?.subscription_id ?? null]).toEqual([plan, subscription?.id ?? null])
  expect(row?.cancelation_date !== null).toBe(subscription?.cancelAtPeriodEnd === true)
  expect(row?.price ?? null).toBe(price ? price.amount / 100 : null)
  if (row?.unpaid_since != null) expect(subscription?.status).toBe('past_due')

  const cards = await p.cards(slug)
  const methods = [...p.state.methods.values()].filter(
    ({ customer }) => customer !== null && customer === customers[0]?.id,
  )
  expect(new Set(cards.map(({ provider_id }) => provider_id))).toEqual(new Set(methods.map(({ id }) => id)))
  expect(cards.find(({ is_default }) => is_default === 1)?.provider_id ?? null).toBe(
    customers[0]?.defaultMethod ?? null,
  )

  const ours = new Map((await p.invoices(slug)).map((one) => [one.provider_id, one]))
  const asked = invoicesOf(p, slug).filter(({ status }) => statuses[status] !== null)
  expect(ours.size).toBe(asked.length)
  for (const one of asked) {
    const mirrored = ours.get(one.id)
    const { total } = amountsOf(one)
    const charges = [...p.state.charges.values()].filter(({ payment }) => payment.id === one.payment)
    const refunded = charges.reduce((sum, charge) => sum + charge.refunded, 0)
    expect(mirrored).toMatchObject({
      number: one.number,
      total: total / 100,
      refunded: refunded / 100,
      credited: one.credited / 100,
      dispute: charges.some(({ dispute }) => dispute !== null) ? 'Open' : null,
    })
    expect(statuses[one.status]).toContain(mirrored?.status)
    // Nobody is asked for what ended.
    if (one.subscription && ended.includes(one.subscription.status))
      expect(['Paid', 'Void']).toContain(mirrored?.status)
  }
  isPaidOnce(asked)
}

/** No time is paid twice, and no change of a plan. */
function isPaidOnce(invoices: readonly ProviderInvoice[]): void {
  const lines = invoices.filter(({ status }) => status === 'paid').flatMap((one) => one.lines)
  const periods = lines.filter(({ isProration }) => !isProration).toSorted((a, b) => a.start - b.start)
  for (const [at, { start }] of periods.entries()) expect(start).toBeGreaterThanOrEqual(periods[at - 1]?.end ?? 0)
  const prorations = lines.filter(({ isProration }) => isProration).map(({ id }) => id)
  expect(new Set(prorations).size).toBe(prorations.length)
}
