/** What becomes of a card once its owner has entered it: the browser may be closed, events are late, twice, or in any order. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ReceivedRequest } from '#server/providers/simulator/simulated-vendor.ts'
import type { Browser } from '../browser.ts'
import { openPaidPlans, type PaidPlans } from './paid-plans.ts'

let p: PaidPlans
let owner: Browser
let slug = ''
beforeAll(async () => {
  p = await openPaidPlans()
})
afterAll(() => p.closeUnharmed())
/** Each test has an organization of its own. */
beforeEach(async () => {
  ;({ slug, owner } = await p.organization())
})

const month = 31 * 86_400_000
const declining = '4000000000000341'
const entered = /^setup_intent\.succeeded$/

/** A plan whose renewal a card did not pay, with the invoice of that. */
async function unpaid() {
  await p.addCard(owner)
  await p.change(owner, 'Growth')
  await p.addCard(owner, declining)
  p.pass(month + 2 * 3_600_000)
  await p.work('billing.compare')
  expect(await p.status(owner)).toMatchObject({ payment: { state: 'failed', amount: 39 } })
}
const enter = async (number = '4242424242424242') =>
  p.confirm(await p.post<string>(owner, 'create_setup_intent'), number)
const added = (intent: object) => p.post(owner, 'add_payment_method', { setupIntent: JSON.stringify(intent) })
const invoices = async () => (await p.invoices(slug)).map(({ status }) => status)
/** Card that pays, as our rows say it and as the provider does. */
const defaults = async () => [
  (await p.cards(slug)).find(({ is_default }) => is_default === 1)?.provider_id,
  p.customersOf(slug)[0]?.defaultMethod,
]
const methodOf = ({ id }: { id: string }) => p.state.setupIntents.get(id)?.method
/** Lets the events of the provider arrive, of all setup intents or of one. */
async function arrive(types: RegExp, about?: { id: string }) {
  p.webhooks.url = p.webhook.url
  for (const event of p.state.events.values())
    if (types.test(event.type) && [undefined, event.object['id']].includes(about?.id)) await p.webhooks.send(event)
  p.webhooks.url = null
}
async function deliver(types: RegExp, about?: { id: string }) {
  await arrive(types, about)
  await p.booted.billing.stop?.()
}
/** Lets the first request of a kind wait before the provider carries it out. */
function hold(isMeant: (request: ReceivedRequest) => boolean) {
  const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  p.arrival.wait = async (request) => {
    if (!isMeant(request)) return
    p.arrival.wait = null
    arrived.resolve()
    await gate.promise
  }
  return { arrived: arrived.promise, go: () => gate.resolve() }
}
/** What became of the tries to charge the card of an intent; null: it was charged. */
const chargesOf = (intent: { id: string }) =>
  [...p.state.charges.values()].filter(({ card }) => card?.id === methodOf(intent)).map(({ error }) => error)
const attempts = () =>
  p.vendor.seen.filter(({ method, path }) => method === 'POST' && /^\/v1\/invoices\/\w+\/pay/.test(path)).length

it('pays, and is the default, although the tab was closed before it could ask for that', async () => {
  await unpaid()
  const intent = await enter()
  // Whatever is read meanwhile ends other events, not this one.
  await deliver(/^payment_method\.attached$/)
  expect(await invoices()).toEqual(['Paid', 'Overdue'])
  await deliver(entered)
  expect(await invoices()).toEqual(['Paid', 'Paid'])
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Growth', payment: null })
  expect(await defaults()).toEqual([methodOf(intent), methodOf(intent)])
  const before = attempts()
  await added(intent)
  expect(attempts()).toBe(before)
  expect(await p.booted.billing.paymentFigures()).toMatchObject({ waiting_events: 0 })
})

it('is tried once when the browser asks at the same time, and undoes nothing that the owner chose since', async () => {
  await unpaid()
  const declined = await enter(declining)
  await Promise.all([added(declined), deliver(entered)])
  const tries = [...p.state.charges.values()].filter(({ card }) => card?.id === methodOf(declined))
  expect(tries).toHaveLength(1)
  const intent = await enter()
  // As while another process follows the event.
  p.faults.push({ kind: 'under_way', on: 'POST /v1/customers/', times: 3 })
  const [customer] = p.customersOf(slug)
  if (customer) customer.defaultMethod = methodOf(intent) ?? null
  await added(intent)
  expect(await invoices()).toEqual(['Paid', 'Paid'])
  const [other] = (await p.cards(slug)).filter(({ provider_id }) => provider_id !== methodOf(intent))
  await p.post(owner, 'run_doc_method', { dt: 'Payment Method', dn: other?.name, method: 'set_default' })
  p.pass(2 * 86_400_000)
  await deliver(entered)
  await added(intent)
  expect(await defaults()).toEqual([other?.provider_id, other?.provider_id])
})

it('is no other than one that was entered here: an intent of the operator changes nothing', async () => {
  await unpaid()
  const before = await defaults()
  const response = await fetch(`${p.vendor.url}/v1/setup_intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${p.settings.secretKey}` },
    body: new URLSearchParams({ customer: p.customersOf(slug)[0]?.id ?? '' }),
  })
  await p.confirm(((await response.json()) as { client_secret: string }).client_secret, '4242424242424242')
  await deliver(entered)
  expect(await defaults()).toEqual(before)
  expect(await p.cards(slug)).toHaveLength(3)
  expect(await invoices()).toEqual(['Paid', 'Overdue'])
})

describe('of two cards that are entered one after the other', () => {
  const [older, newer] = ['4242424242424242', '5555555555554444']
  const isDefault = async (intent: { id: string }) =>
    expect(await defaults()).toEqual([methodOf(intent), methodOf(intent)])
  async function enterBoth() {
    const first = await enter(older)
    p.pass(60_000)
    const last = await enter(newer)
    p.pass(60_000)
    return { first, last }
  }

  it('the newer one pays on, although the event of the older one comes after it', async () => {
    await unpaid()
    const { first, last } = await enterBoth()
    await added(last)
    await deliver(entered, first)
    await isDefault(last)
    expect([chargesOf(first), chargesOf(last), (await p.cards(slug)).length]).toEqual([[], [null], 4])
  })

  it('only the newer one is charged if both events are there', async () => {
    await unpaid()
    const { first, last } = await enterBoth()
    const reading = hold(({ path }) => path.startsWith('/v1/subscriptions?'))
    await arrive(/^payment_method\.attached$/)
    await reading.arrived
    await arrive(entered)
    reading.go()
    await p.booted.billing.stop?.()
    await isDefault(last)
    expect([chargesOf(first), chargesOf(last)]).toEqual([[], [null]])
  })

  it('the newer one stays the default, although the provider hears of it before the older one', async () => {
    await p.addCard(owner)
    const { first, last } = await enterBoth()
    const late = hold(({ method, body }) => method === 'POST' && body.includes(methodOf(first) ?? '-'))
    const delivered = deliver(entered, first)
    await late.arrived
    await added(last)
    late.go()
    await delivered
    await isDefault(last)
  })

  it('neither replaces one that the owner chose since', async () => {
    const { payment_method: chosen } = await p.addCard(owner)
    await p.addCard(owner, declining)
    const { last } = await enterBoth()
    await deliver(entered, last)
    await isDefault(last)
    // Whatever the clocks say: that of the provider may be ahead.
    p.pass(-90_000)
    await p.post(owner, 'run_doc_method', { dt: 'Payment Method', dn: chosen, method: 'set_default' })
    p.pass(90_000)
    await deliver(entered)
    expect((await p.cards(slug)).filter(({ is_default }) => is_default === 1)).toMatchObject([{ name: chosen }])
    expect(await p.cards(slug)).toHaveLength(4)
  })
})

it('pays nothing that a change of the plan is about to take back, but is tried on what is open after it', async () => {
  await p.addCard(owner, declining)
  const intent = await enter()
  const takenBack = hold(({ method, path }) => method === 'DELETE' && path.startsWith('/v1/subscriptions/'))
  const changed = p.change(owner, 'Growth')
  await takenBack.arrived
  await deliver(entered)
  expect(chargesOf(intent)).toEqual([])
  takenBack.go()
  expect(await changed).toMatchObject({ plan_name: 'Free', payment: { state: 'failed' } })
  await p.work('billing.payments')
  expect(chargesOf(intent)).toEqual([])
  expect(await defaults()).toEqual([methodOf(intent), methodOf(intent)])
  expect(await p.booted.billing.paymentFigures()).toMatchObject({ waiting_events: 0 })
  expect(await p.change(owner, 'Growth')).toMatchObject({ plan_name: 'Growth', payment: { state: 'paid' } })
})
