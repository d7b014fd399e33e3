import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { creditInvoice } from '#server/providers/simulator/stripe/stripe-invoices.ts'
import { disputePayment, refundInvoice } from '#server/providers/simulator/stripe/stripe-charges.ts'
import { signatureOf } from '#server/providers/simulator/stripe/stripe-webhooks.ts'
import { sdkError, type Browser } from '../browser.ts'
import { openPaidPlans, type PaidPlans } from './paid-plans.ts'
import { invoicesOf } from './provider-state.ts'

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

it('a card that is added pays, also when an event told of it before; added again, it undoes no choice', async () => {
  const first = (await p.addCard(owner)).payment_method
  const secret = await p.post<string>(owner, 'create_setup_intent')
  const setupIntent = JSON.stringify(await p.confirm(secret, '5555555555554444'))
  await p.post(owner, 'easydash.api.billing.refresh')
  const chosen = async () => (await p.cards(slug)).filter(({ is_default }) => is_default === 1).map(({ name }) => name)
  expect(await p.cards(slug)).toHaveLength(2)
  expect(await chosen()).toEqual([first])

  const { payment_method } = await p.post<{ payment_method: string }>(owner, 'add_payment_method', { setupIntent })
  expect(await chosen()).toEqual([payment_method])
  await p.post(owner, 'run_doc_method', { dt: 'Payment Method', dn: first, method: 'set_default' })
  await p.post(owner, 'add_payment_method', { setupIntent })
  expect(await chosen()).toEqual([first])
})

it('a smaller plan follows when the period ends, and what is canceled ends then', async () => {
  await p.addCard(owner)
  await p.change(owner, 'Growth')
  await p.change(owner, 'Starter', 'period_end')
  p.pass(month + 60_000)
  await p.work('billing.compare')
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Starter', is_scheduled: false })
  await p.post(owner, 'cancel_plan')
  p.pass(month)
  await p.work('billing.compare')
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Free', is_canceled: false, is_free_tier: true })
})

it('a plan is on request while the platform admin has set no price for it', async () => {
  const setPrice = (plan: string, plan_cost: number | null) =>
    p.inSystem((tx) => tx.update('Plan', plan, { plan_cost }))
  await p.addCard(owner)
  await setPrice('Starter', null)
  expect(await sdkError(p.change(owner, 'Starter'))).toMatchObject({ httpStatus: 417, field: 'plan' })
  await setPrice('Starter', 12)
  await setPrice('Enterprise', 500)
  // The provider is asked, which has no price for it yet.
  expect(await sdkError(p.change(owner, 'Enterprise'))).toMatchObject({ httpStatus: 503, field: 'plan' })
  await setPrice('Enterprise', null)
})

it('who pays an older price sees that, and a plan that costs nothing is chosen without a card', async () => {
  const setPrice = (plan_cost: number) => p.inSystem((tx) => tx.update('Plan', 'Starter', { plan_cost }))
  await setPrice(0)
  expect(await p.post(owner, 'preview_plan', { plan: 'Starter', when: 'now' })).toMatchObject({ due_now: 0 })
  expect(await p.change(owner, 'Starter')).toMatchObject({ plan_name: 'Starter', payment: null })
  expect(await p.status(owner)).toMatchObject({ plan_cost: 0, billed_price: null, billed_until: null })
  await p.addCard(owner)
  await p.change(owner, 'Growth')
  expect(await sdkError(p.change(owner, 'Starter', 'period_end'))).toMatchObject({ httpStatus: 417, field: 'plan' })
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Growth', billed_price: { amount: 39, currency: 'EUR' } })
  await p.inSystem((tx) => tx.update('Plan', 'Growth', { plan_cost: 45 }))
  expect(await p.status(owner)).toMatchObject({ plan_cost: 45, billed_price: { amount: 39, currency: 'EUR' } })
  await p.inSystem((tx) => tx.update('Plan', 'Growth', { plan_cost: 39 }))
  await setPrice(12)
})

it('while the provider is down for an hour, the profile is stored, limits hold, and it hears who pays afterward', async () => {
  await p.addCard(owner)
  await p.change(owner, 'Starter')
  const before = await p.status(owner)
  p.faults.push({ kind: 'server_error', times: 10_000 })
  const customer_data = {
    billing_name: 'Acme GmbH',
    address_line_1: 'Lane 1',
    company_city: 'Bonn',
    company_state: 'NRW',
    company_country: 'de',
    company_pincode: '53111',
  }
  expect(await p.post(owner, 'set_customer_details', { customer_data: JSON.stringify(customer_data) })).toEqual({
    status: true,
  })
  await p.booted.billing.stop?.()
  for (const call of [
    () => p.change(owner, 'Growth'),
    () => p.post(owner, 'preview_plan', { plan: 'Growth', when: 'now' }),
    () => p.post(owner, 'create_setup_intent'),
    () => p.post(owner, 'cancel_plan'),
  ])
    expect(await sdkError(call())).toMatchObject({
      httpStatus: 503,
      exception: expect.stringContaining('The payment provider does not answer.') as string,
    })
  p.pass(3_600_000)
  await p.work('billing.payments')
  await p.work('billing.compare')
  expect(await p.status(owner)).toEqual(before)
  expect(p.customersOf(slug)).toMatchObject([{ name: expect.not.stringContaining('GmbH') as string }])
  expect(p.booted.logged.splice(0).length).toBeGreaterThan(0)

  p.faults.length = 0
  await p.work('billing.payments')
  expect(p.customersOf(slug)).toMatchObject([{ name: 'Acme GmbH', address: { line1: 'Lane 1', country: 'DE' } }])
  const heard = p.vendor.seen.length
  await p.work('billing.payments')
  expect(p.vendor.seen).toHaveLength(heard)
  expect(await p.change(owner, 'Growth')).toMatchObject({ plan_name: 'Growth' })
})

it('nothing is asked about the open bill of a plan that was just read', async () => {
  await p.addCard(owner)
  await p.change(owner, 'Growth')
  const secret = await p.post<string>(owner, 'create_setup_intent')
  await p.post(owner, 'add_payment_method', {
    setupIntent: JSON.stringify(await p.confirm(secret, '4000000000000341')),
  })
  p.pass(month + 2 * 3_600_000)
  const before = p.vendor.seen.length
  await p.work('billing.compare')
  expect((await p.invoices(slug)).at(-1)).toMatchObject({ status: 'Overdue' })
  const [subscription] = p.subscriptionsOf(slug)
  const asked = p.vendor.seen.slice(before).map(({ path }) => path)
  expect(asked.filter((path) => path.startsWith(`/v1/subscriptions/${subscription?.id}`))).toEqual([])
})

it('a customer whom the operator deleted at the provider has no plan any more, and can pay again', async () => {
  await p.addCard(owner)
  await p.change(owner, 'Growth')
  const [customer] = p.customersOf(slug)
  await p.deleteCustomer(customer?.id ?? '')
  await p.work('billing.compare')
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Free' })
  expect(await p.cards(slug)).toEqual([])
  await p.addCard(owner)
  expect(await p.change(owner, 'Starter')).toMatchObject({ plan_name: 'Starter', payment: { state: 'paid' } })
  expect(new Set((await p.invoices(slug)).map(({ total }) => total))).toEqual(new Set([39, 12]))
})

it('a declined card changes nothing and leaves nothing; another one works', async () => {
  await p.addCard(owner, '4000000000000341')
  expect(await p.change(owner, 'Growth')).toMatchObject({
    plan_name: 'Free',
    changed: false,
    payment: { state: 'failed', amount: 39, message: 'Your card was declined.', client_secret: null },
  })
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Free', payment: null })
  await p.addCard(owner)
  expect(await p.change(owner, 'Growth')).toMatchObject({ plan_name: 'Growth', payment: { state: 'paid' } })
  expect(p.subscriptionsOf(slug).filter(({ status }) => status === 'active')).toHaveLength(1)
})

it('a card that expires soon is told to the owner once, and not while nothing is paid for', async () => {
  await p.addCard(owner)
  const [customer] = p.customersOf(slug)
  const now = new Date(p.now())
  const until = { expMonth: now.getUTCMonth() + 1, expYear: now.getUTCFullYear() }
  for (const method of p.state.methods.values()) if (method.customer === customer?.id) Object.assign(method, until)
  const told = () => p.booted.mails.filter(({ text }) => text.includes(slug) && text.includes('expires at the end'))
  await p.work('billing.compare')
  expect(told()).toEqual([])
  await p.change(owner, 'Starter')
  await p.work('billing.compare')
  await p.work('billing.compare')
  expect(told().map(({ to }) => to)).toEqual([`owner@${slug}.example`])
})

it('of two changes at once, one is made or both are, and nobody pays for two plans', async () => {
  await p.addCard(owner)
  const other = await p.booted.signedIn(`owner@${slug}.example`)
  for (const [one, two] of [
    [() => p.change(owner, 'Starter'), () => p.change(other, 'Growth')],
    [() => p.change(owner, 'Growth'), () => p.post(other, 'cancel_plan')],
    [() => p.change(owner, 'Starter', 'period_end'), () => p.post(other, 'cancel_plan')],
  ] as const) {
    const ends = await Promise.allSettled([one(), two()])
    expect(ends.map(({ status }) => status)).toContain('fulfilled')
    for (const end of ends)
      if (end.status === 'rejected') expect([409, 417]).toContain((end.reason as { httpStatus: number }).httpStatus)
    const [subscription, ...more] = p.subscriptionsOf(slug).filter(({ endedAt }) => endedAt === null)
    expect(more).toEqual([])
    expect(await p.status(owner)).toMatchObject({
      plan_name: subscription?.price.amount === 1200 ? 'Starter' : 'Growth',
      is_canceled: subscription?.cancelAtPeriodEnd,
      is_scheduled: subscription?.schedule !== null,
    })
  }
})

it('an owner who hands over in the middle of a change has paid for the plan, and the new one sees and pays the rest', async () => {
  await p.addCard(owner)
  const handedOver: Promise<unknown>[] = []
  p.webhooks.url = 'http://127.0.0.1:9/never'
  p.webhooks.plan = () => {
    if (handedOver.length === 0)
      handedOver.push(
        p.post(owner, 'run_doc_method', {
          dt: 'Organization',
          dn: slug,
          method: 'transfer_ownership',
          args: { new_owner: `admin@${slug}.example` },
        }),
      )
    return 'lose'
  }
  await Promise.allSettled([p.change(owner, 'Growth')])
  p.webhooks.url = null
  p.webhooks.plan = () => 'send'
  await Promise.all(handedOver)
  expect(handedOver).toHaveLength(1)
  await p.work('billing.payments')
  await p.work('billing.compare')
  const heir = await p.booted.signedIn(`admin@${slug}.example`)
  expect(await p.status(heir)).toMatchObject({ plan_name: 'Growth', billed_price: { amount: 39 } })
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Growth', payment_provider: null, billed_price: null })
  expect(await sdkError(p.change(owner, 'Free', 'period_end'))).toMatchObject({ httpStatus: 403 })
  expect(p.customersOf(slug)).toMatchObject([{ email: `admin@${slug}.example` }])
  expect(p.subscriptionsOf(slug).map(({ status }) => status)).toEqual(['active'])
  expect(await p.change(heir, 'Starter', 'period_end')).toMatchObject({ is_scheduled: true })
})

it('signed events of wrong types do nothing, and of huge ones nothing is read', async () => {
  const send = async (body: string) => {
    const signature = signatureOf(p.webhook.secret, Math.floor(p.now() / 1000), body)
    return (await fetch(p.webhook.url, { method: 'POST', body, headers: { 'stripe-signature': signature } })).status
  }
  const asked = p.vendor.seen.length
  for (const body of ['', 'null', '[]', '7', '{"id":7,"type":"a"}', '{"id":"evt_x","type":[]}', '{"id":"evt_x"}'])
    expect([body, await send(body)]).toEqual([body, 417])
  for (const data of [
    null,
    [],
    'text',
    { object: null },
    { object: { customer: 7 } },
    { object: { customer: ['cus_1'] } },
    { object: { payment_intent: 'pi_unknown' } },
  ])
    expect(await send(JSON.stringify({ id: `evt_${JSON.stringify(data)}`, type: 'customer.updated', data }))).toBe(200)
  expect(await send(`{"id":"evt_long","type":"a","data":{"object":{"customer":"${'c'.repeat(100_000)}"}}}`)).toBe(200)
  expect(await send(`"${'x'.repeat(2 * 1024 * 1024)}"`)).toBe(413)
  await p.booted.billing.stop?.()
  expect(p.vendor.seen).toHaveLength(asked)
})

it('the card of another organization is refused, and so is an invented one', async () => {
  await p.addCard(owner)
  const other = await p.organization()
  const foreign = await p.confirm(await p.post<string>(other.owner, 'create_setup_intent'), '4242424242424242')
  for (const id of [foreign.id, 'seti_invented', 'pm_1', 7, null]) {
    const call = p.post(owner, 'add_payment_method', { setupIntent: JSON.stringify({ id }) })
    expect(await sdkError(call)).toMatchObject({ httpStatus: 417, field: 'setupIntent' })
  }
  const call = p.post(owner, 'add_payment_method', { setupIntent: '{"id":"seti_1","number":"4242 4242 4242 4242"}' })
  expect((await sdkError(call)).httpStatus).toBe(417)
  expect(await p.cards(slug)).toHaveLength(1)
})

it('what comes back of a payment is on its invoice: refunds, credit notes, and how a dispute goes', async () => {
  await p.addCard(owner, '4000000000000341')
  // A charge that failed is none.
  await p.change(owner, 'Starter')
  await p.addCard(owner)
  await p.change(owner, 'Starter')
  await p.change(owner, 'Growth')
  const [first, second] = invoicesOf(p, slug).filter(({ status }) => status === 'paid')
  if (!first || !second) throw new Error('Two invoices are paid')
  const ours = async () => {
    await p.work('billing.compare')
    const rows = (await p.invoices(slug)).filter(({ status }) => status === 'Paid')
    // Both are of the same moment.
    return rows
      .toSorted((a, b) => Number(a.total) - Number(b.total))
      .map(({ total, refunded, credited, dispute }) => [total, refunded, credited, dispute])
  }
  expect(await ours()).toEqual([
    [12, 0, 0, null],
    [27, 0, 0, null],
  ])
  // Told by events, of which one about a dispute names the payment only.
  p.webhooks.url = p.webhook.url
  const told = async () => {
    await p.webhooks.settled()
    await p.booted.billing.stop?.()
    return (await p.invoices(slug)).find(({ provider_id }) => provider_id === first.id)
  }
  expect(refundInvoice(p.state, first, 250)).toBe(250)
  expect(await told()).toMatchObject({ refunded: 2.5, dispute: null })
  disputePayment(p.state, first, 'warning_needs_response')
  expect(await told()).toMatchObject({ dispute: 'Open' })
  disputePayment(p.state, first, 'warning_closed')
  expect(await told()).toMatchObject({ dispute: 'Won' })
  p.webhooks.url = null
  creditInvoice(p.state, first, 100)
  // All that is left of it goes back to the card; the rest of the credit note elsewhere.
  refundInvoice(p.state, second, 2600)
  creditInvoice(p.state, second, 200)
  disputePayment(p.state, second, 'needs_response')
  expect(await ours()).toEqual([
    [12, 3.5, 1, 'Won'],
    [27, 27, 2, 'Open'],
  ])
  for (const [status, expected] of [
    ['under_review', 'Open'],
    ['won', 'Won'],
    ['lost', 'Lost'],
    ['prevented', null],
  ] as const) {
    disputePayment(p.state, second, status)
    expect((await ours())[1]).toEqual([27, 27, 2, expected])
  }
  expect(await owner.app.db().getDocList('Invoice', { fields: ['total', 'refunded', 'credited'] })).toHaveLength(3)
  expect((await p.status(owner)).plan_name).toBe('Growth')
})

it('a plan that is paid does not wait for refunds and disputes, which are not known then and are asked for again', async () => {
  // The client tries twice.
  const fails = (list: string) => void p.faults.push({ kind: 'server_error', on: `GET /v1/${list}&`, times: 2 })
  const ours = async () => (await p.invoices(slug)).map(({ refunded, dispute }) => [refunded, dispute])
  const logged = () => p.booted.logged.splice(0).map((line) => line.includes('Refunds or disputes could not be read'))
  await p.addCard(owner)
  const charges = `charges?customer=${p.customersOf(slug)[0]?.id}`
  fails(charges)
  expect(await p.change(owner, 'Starter')).toMatchObject({ plan_name: 'Starter', payment: { state: 'paid' } })
  expect([await ours(), logged()]).toEqual([[[null, null]], [true]])
  await p.work('billing.compare')
  expect(await ours()).toEqual([[0, null]])

  const [invoice] = invoicesOf(p, slug)
  if (!invoice) throw new Error('An invoice is paid')
  disputePayment(p.state, invoice, 'needs_response')
  refundInvoice(p.state, invoice, 250)
  fails(`disputes?payment_intent=${invoice.payment}`)
  await p.work('billing.compare')
  expect([await ours(), logged()]).toEqual([[[2.5, null]], [true]])
  await p.work('billing.compare')
  expect(await ours()).toEqual([[2.5, 'Open']])
  // What was known stays.
  fails(charges)
  await p.work('billing.compare')
  expect([await ours(), logged()]).toEqual([[[2.5, 'Open']], [true]])
})
