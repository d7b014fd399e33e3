/**
 * Generated lives of paid plans, each of two years: whatever is done, lost, refused or killed, our state is the provider's after one
 * comparison, to the cent, and nobody pays twice.
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { amountsOf } from '#server/providers/simulator/stripe/stripe-money.ts'
import type { StripeState } from '#server/providers/simulator/stripe/stripe-state.ts'
import { disputePayment, refundInvoice } from '#server/providers/simulator/stripe/stripe-charges.ts'
import { creditInvoice } from '#server/providers/simulator/stripe/stripe-invoices.ts'
import { freePlan } from '#shared/rules/plans.ts'
import { sdkError, type Browser } from '../browser.ts'
import { openPaidPlans, type PaidPlans } from './paid-plans.ts'
import { expectProvidersState, invoicesOf, liveOf } from './provider-state.ts'

const isLong = process.env['EASYDASH_TEST_LONG'] === '1'
/** A landing does not depend on what is generated: in the gate the lives are always the same ones. */
const runs = {
  numRuns: isLong ? 500 : 20,
  ...(process.env['EASYDASH_TEST_FULL'] === '1' ? {} : { seed: 20_261_128 }),
}
const day = 86_400_000
const lifeMs = 730 * day
/** How long a change that a killed process began stops others, and the time that unpaid plans are kept. */
const [claimMs, graceMs] = [180_000, 7 * day]

let p: PaidPlans
beforeAll(async () => {
  p = await openPaidPlans()
  p.webhooks.url = p.webhook.url
})
afterAll(() => p.close())

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('card' as const),
      number: cardNumber(),
      year: fc.constantFrom('26', '27', '30'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      plan: fc.constantFrom('Starter', 'Growth', freePlan),
      when: fc.constantFrom('now', 'period_end'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('cancel_plan', 'reactivate_plan', 'undo_plan') }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('authenticate', 'deliver', 'compare', 'credit', 'refund', 'dispute') }),
  },
  {
    weight: 3,
    // With three answers lost, nothing of what happened at the provider reaches us, as if this process had been killed; of what
    // it had begun then, its claim remains.
    arbitrary: fc.record({
      do: fc.constant('lose' as const),
      // Of the server; browsers ask for setup intents only.
      on: fc.constantFrom('customers', 'subscriptions', 'subscription_schedules', 'invoices'),
      after: fc.nat({ max: 2 }),
      how: fc.constantFrom('once', 'down', 'killed'),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function cardNumber() {
  return fc.constantFrom('4242424242424242', '5555555555554444', '4000000000000341', '4000002760003184')
}

/** How events arrive. */
const delivery = fc.constantFrom('send', 'send_twice', 'hold', 'lose')

/** What is done, and for how many days nothing is done after it. */
const moment = fc.record({ step, days: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 35 })) })

let lives = 0
let isKilling = false

it('is what the provider says after one comparison, to the cent', { timeout: 3 * 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(moment, { minLength: 12, maxLength: 32, size: 'max' }),
      fc.infiniteStream(delivery),
      async (moments, deliveries) => {
        lives += 1
        const slug = `life-${lives}`
        await p.booted.organization(slug)
        const owner = await p.booted.signedIn(`owner@${slug}.example`)
        p.webhooks.plan = () => deliveries.next().value ?? 'send'
        const start = p.now()
        for (const { step: one, days } of moments) {
          await live(owner, slug, one)
          if (days > 0) await pass(slug, days)
        }
        while (p.now() < start + lifeMs) await pass(slug, 30)
        await deliver()
        p.faults.length = 0
        await p.webhooks.settled()
        await p.booted.billing.stop?.()
        await p.work('billing.compare')
        await expectProvidersState(p, slug)
        await endLife(slug)
        p.pass(start - p.now())
      },
    ),
    { ...runs, endOnFailure: true },
  )
})

async function pass(slug: string, days: number): Promise<void> {
  p.pass(days * day)
  await p.work('billing.payments')
  const row = await p.row(slug)
  // Found to be unpaid, a plan ends with its grace, unless the provider does not answer.
  if (p.faults.length === 0 && row?.unpaid_since != null)
    expect(row.unpaid_since > formatTimestamp(p.now() - graceMs)).toBe(true)
  expect(liveOf(p, slug).length).toBeLessThanOrEqual(1)
}

/** What waited arrives in another order. */
async function deliver(): Promise<void> {
  await Promise.all(p.webhooks.held.toReversed().map((event) => p.webhooks.send(event)))
}

/** One step; a refusal is a step, too. */
async function live(owner: Browser, slug: string, one: Step): Promise<void> {
  switch (one.do) {
    case 'card':
      return attempt(slug, async () => {
        const secret = await p.post<string>(owner, 'create_setup_intent')
        const intent = await p.confirm(secret, one.number, one.year)
        if (intent.status === 'requires_action') await p.authenticate(secret)
        await p.post(owner, 'add_payment_method', { setupIntent: JSON.stringify({ id: intent.id }) })
      })
    case 'change':
      return attempt(slug, () => p.change(owner, one.plan, one.when), 'claims')
    case 'authenticate':
      return attempt(slug, async () => {
        const { payment } = await p.status(owner)
        // It may have expired, unheard.
        if (payment?.client_secret) await p.authenticate(payment.client_secret).catch(() => null)
      })
    case 'deliver':
      return deliver()
    case 'compare':
      return p.work('billing.compare')
    case 'credit': {
      const paid = invoicesOf(p, slug).findLast(({ status, credited }) => status === 'paid' && credited === 0)
      if (paid && amountsOf(paid).due > 0) creditInvoice(p.state, paid, Math.ceil(amountsOf(paid).due / 3))
      return
    }
    case 'refund': {
      const paid = invoicesOf(p, slug).findLast(({ status }) => status === 'paid')
      if (paid) refundInvoice(p.state, paid, Math.ceil(amountsOf(paid).due / 4))
      return
    }
    case 'dispute': {
      const paid = invoicesOf(p, slug).findLast(({ status }) => status === 'paid')
      if (paid && amountsOf(paid).due > 0) disputePayment(p.state, paid, 'needs_response')
      return
    }
    case 'lose':
      isKilling = one.how === 'killed'
      p.faults.push({
        kind: 'lose_answer',
        on: `POST /v1/${one.on}`,
        after: one.after,
        times: one.how === 'once' ? 1 : 3,
      })
      return
    default:
      return attempt(slug, () => p.post(owner, one.do), 'claims')
  }
}

async function attempt(slug: string, call: () => Promise<unknown>, claims?: 'claims'): Promise<void> {
  const failed = await sdkError(call()).catch(() => null)
  // A bug would be a 500.
  if (failed) expect([404, 409, 417, 429, 503]).toContain(failed.httpStatus)
  if (failed?.httpStatus !== 503 || !isKilling || claims === undefined) return
  isKilling = false
  const change_until = formatTimestamp(p.now() + claimMs)
  await p.inSystem((tx) => tx.updateColumns('Subscription Organization', slug, { change: 'killed', change_until }))
}

/** With its organization, what is paid for ends, too; so lives do not meet. */
async function endLife(slug: string): Promise<void> {
  p.pass(claimMs)
  await p.inSystem((tx) => tx.delete('Organization', slug))
  await p.work('billing.payments')
  expect(liveOf(p, slug)).toEqual([])
  p.webhooks.held.length = 0
  const kinds = [
    'subscriptions',
    'schedules',
    'invoices',
    'customers',
    'methods',
    'setupIntents',
    'paymentIntents',
    'charges',
    'events',
  ] as const satisfies readonly (keyof StripeState)[]
  for (const kind of kinds) p.state[kind].clear()
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
