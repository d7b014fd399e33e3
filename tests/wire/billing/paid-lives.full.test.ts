/** Generated lives of paid plans: whatever is done, lost or refused, our state is the provider's after one comparison. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { planOfPrice } from '#server/providers/stripe/prices.ts'
import { freePlan } from '#shared/rules/plans.ts'
import { sdkError, type Browser } from '../browser.ts'
import { openPaidPlans, type PaidPlans } from './paid-plans.ts'

const numRuns = process.env['EASYDASH_TEST_LONG'] === '1' ? 500 : 20
const day = 86_400_000

let p: PaidPlans
beforeAll(async () => {
  p = await openPaidPlans()
  p.webhooks.url = p.webhook.url
})
afterAll(() => p.close())

const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('card' as const), number: cardNumber() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      plan: fc.constantFrom('Starter', 'Growth', freePlan),
      when: fc.constantFrom('now', 'period_end'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('cancel_plan', 'reactivate_plan', 'undo_plan') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), days: fc.integer({ min: 1, max: 35 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('authenticate' as const) }) },
  {
    weight: 1,
    // With three answers lost, nothing of what happened at the provider reaches us, as if this process had been killed.
    arbitrary: fc.record({
      do: fc.constant('lose' as const),
      // Of the server; browsers ask for setup intents only.
      on: fc.constantFrom('customers', 'subscriptions', 'subscription_schedules', 'invoices'),
      after: fc.nat({ max: 2 }),
      times: fc.constantFrom(1, 3),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function cardNumber() {
  return fc.constantFrom('4242424242424242', '4000000000000341', '4000002760003184')
}

/** How events arrive. */
const delivery = fc.constantFrom('send', 'send_twice', 'hold', 'lose')

let lives = 0

it('is what the provider says after one comparison, to the cent', { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 8, maxLength: 30 }),
      fc.infiniteStream(delivery),
      async (steps, deliveries) => {
        lives += 1
        const slug = `life-${lives}`
        await p.booted.organization(slug)
        const owner = await p.booted.signedIn(`owner@${slug}.example`)
        p.webhooks.plan = () => deliveries.next().value ?? 'send'
        for (const one of steps) {
          await live(owner, one)
          expect(liveOf(slug).length).toBeLessThanOrEqual(1)
        }
        // What waited arrives in another order.
        for (const event of p.webhooks.held.toReversed()) await p.webhooks.send(event)
        p.faults.length = 0
        await p.webhooks.settled()
        await p.booted.billing.stop?.()
        await p.work('billing.compare')
        await isWhatProviderSays(slug)
      },
    ),
    { numRuns, endOnFailure: true },
  )
})

const liveOf = (slug: string) =>
  [...p.state.subscriptions.values()].filter(
    ({ metadata, status }) => metadata['organization'] === slug && (status === 'active' || status === 'past_due'),
  )

/** One step; a refusal is a step, too. */
async function live(owner: Browser, one: Step): Promise<void> {
  switch (one.do) {
    case 'card':
      return attempt(async () => {
        const secret = await p.post<string>(owner, 'create_setup_intent')
        const intent = await p.confirm(secret, one.number)
        if (intent.status === 'requires_action') await p.authenticate(secret)
        await p.post(owner, 'add_payment_method', { setupIntent: JSON.stringify({ id: intent.id }) })
      })
    case 'change':
      return attempt(() => p.change(owner, one.plan, one.when))
    case 'pass':
      p.pass(one.days * day)
      await p.work('billing.payments')
      return
    case 'authenticate':
      return attempt(async () => {
        const { payment } = await p.status(owner)
        // It may have expired, unheard.
        if (payment?.client_secret) await p.authenticate(payment.client_secret).catch(() => null)
      })
    case 'lose':
      p.faults.push({ kind: 'lose_answer', on: `POST /v1/${one.on}`, after: one.after, times: one.times })
      return
    default:
      return attempt(() => p.post(owner, one.do))
  }
}

async function attempt(call: () => Promise<unknown>): Promise<void> {
  const failed = await sdkError(call()).catch(() => null)
  // A bug would be a 500.
  if (failed) expect([404, 409, 417, 429, 503]).toContain(failed.httpStatus)
}

async function isWhatProviderSays(slug: string): Promise<void> {
  const [subscription] = liveOf(slug)
  const customers = [...p.state.customers.values()].filter(({ metadata }) => metadata['organization'] === slug)
  expect(customers.length).toBeLessThanOrEqual(1)
  const [organization, row, invoices] = [
    await p.inSystem((tx) => tx.get('Organization', slug)),
    await p.row(slug),
    await p.invoices(slug),
  ]
  const price = subscription?.price
  const plan = price ? planOfPrice({ metadata: { ...price.metadata }, lookup_key: price.lookupKey }) : freePlan
  expect([organization?.['plan'], row?.subscription_id ?? null]).toEqual([plan, subscription?.id ?? null])
  expect(row?.cancelation_date !== null).toBe(subscription?.cancelAtPeriodEnd === true)
  if (row?.unpaid_since != null) expect(subscription?.status).toBe('past_due')
  const paid = [...p.state.invoices.values()].filter(
    ({ customer, status }) => customer.metadata['organization'] === slug && status === 'paid',
  )
  const sum = (amounts: readonly number[]) => Math.round(amounts.reduce((total, amount) => total + amount, 0))
  expect(sum(invoices.filter(({ status }) => status === 'Paid').map(({ total }) => (total ?? 0) * 100))).toBe(
    sum(paid.flatMap(({ lines }) => lines.map(({ amount }) => amount))),
  )
}

it('events that had their effect are kept for a month', async () => {
  await p.inSystem(({ trx }) =>
    sql`insert into easydash_billing_event (id, type, received, done)
      values ('old', 't', now(), now() - interval '31 days'), ('new', 't', now(), now() - interval '29 days')`.execute(
      trx,
    ),
  )
  await p.work('billing.compare')
  const { rows } = await p.inSystem(({ trx }) =>
    sql<{ id: string }>`select id from easydash_billing_event where type = 't'`.execute(trx),
  )
  expect(rows).toEqual([{ id: 'new' }])
})

it('a plan that ended unseen says so to who wants to keep it', async () => {
  await p.booted.organization('ended')
  const owner = await p.booted.signedIn('owner@ended.example')
  await p.addCard(owner)
  await p.change(owner, 'Starter')
  await p.post(owner, 'easydash.api.billing.cancel_plan')
  p.webhooks.plan = () => 'lose'
  p.pass(32 * day)
  expect(await sdkError(p.post(owner, 'easydash.api.billing.reactivate_plan'))).toMatchObject({
    httpStatus: 417,
    exception: expect.stringContaining('ended already'),
  })
})
