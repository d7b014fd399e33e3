import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signatureOf } from '#server/providers/simulator/stripe/stripe-webhooks.ts'
import { sdkError, type Browser } from '../browser.ts'
import { openPaidPlans, type PaidPlans } from './paid-plans.ts'

let p: PaidPlans
let owner: Browser
let admin: Browser
let slug = ''
beforeAll(async () => {
  p = await openPaidPlans()
})
afterAll(() => p.closeUnharmed())
/** Each test has an organization of its own. */
beforeEach(async () => {
  ;({ slug, owner, admin } = await p.organization())
})

const month = 31 * 86_400_000

describe('the way of an owner', () => {
  it('adds a card, upgrades, gets the invoice and its PDF, plans a smaller plan, undoes, cancels, reactivates', async () => {
    expect(await p.status(owner)).toMatchObject({
      plan_name: 'Free',
      plans_enabled: true,
      payment: null,
      payment_provider: { name: 'stripe', publishable_key: 'pk_test_simulated', script_url: `${p.vendor.url}/v3/` },
    })
    expect(await p.status(admin)).toMatchObject({ payment: null, payment_provider: null, billed_until: null })
    expect(await sdkError(p.change(owner, 'Growth'))).toMatchObject({ httpStatus: 417, field: 'payment_method' })

    const { payment_method } = await p.addCard(owner)
    const card = await owner.app.db().getDoc('Payment Method', payment_method)
    expect(card).toMatchObject({ brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030, is_default: 1 })
    expect(JSON.stringify(card)).not.toMatch(/pm_|cus_/)

    expect(await p.post(owner, 'preview_plan', { plan: 'Starter', when: 'now' })).toMatchObject({
      due_now: 12,
      currency: 'EUR',
    })
    expect(await p.change(owner, 'Starter')).toMatchObject({
      plan_name: 'Starter',
      changed: true,
      payment: { state: 'paid', amount: 12, currency: 'EUR' },
    })
    const preview = await p.post<{ due_now: number; credit: number }>(owner, 'preview_plan', {
      plan: 'Growth',
      when: 'now',
    })
    expect(preview).toMatchObject({
      due_now: 27,
      credit: 12,
      next_bill: { amount: 39, date: '2026-02-15 12:00:00.000000' },
    })
    expect(await p.change(owner, 'Growth')).toMatchObject({
      plan_name: 'Growth',
      payment: { state: 'paid', amount: 27 },
    })
    expect(await p.status(owner)).toMatchObject({
      plan_name: 'Growth',
      limits: { site: 25, server: 8 },
      billed_until: '2026-02-15 12:00:00.000000',
    })

    const invoices = await owner.app
      .db()
      .getDocList('Invoice', { fields: ['name', 'number', 'plan', 'total', 'status'] })
    expect(new Set(invoices.map(({ plan, total, status }) => `${plan} ${total} ${status}`))).toEqual(
      new Set(['Starter 12 Paid', 'Growth 27 Paid']),
    )
    const pdf = await owner.fetch(`/private/invoices/${invoices[0]?.name}.pdf`)
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect((await pdf.text()).slice(0, 5)).toBe('%PDF-')
    expect((await admin.fetch(`/private/invoices/${invoices[0]?.name}.pdf`)).status).toBe(403)

    expect(await p.post(owner, 'preview_plan', { plan: 'Starter', when: 'period_end' })).toMatchObject({
      due_now: 0,
      next_bill: { date: '2026-02-15 12:00:00.000000', amount: 12 },
    })
    expect(await sdkError(p.change(owner, 'Starter'))).toMatchObject({ httpStatus: 417, field: 'when' })
    expect(await p.change(owner, 'Starter', 'period_end')).toMatchObject({
      plan_name: 'Growth',
      is_scheduled: true,
      scheduled_plan: 'Starter',
      scheduled_date: '2026-02-15 12:00:00.000000',
    })
    expect(await p.post(owner, 'undo_plan')).toMatchObject({ is_scheduled: false, plan_name: 'Growth' })
    expect((await sdkError(p.post(owner, 'undo_plan'))).httpStatus).toBe(417)
    expect(await p.post(owner, 'cancel_plan')).toMatchObject({
      is_canceled: true,
      cancelation_date: '2026-02-15 12:00:00.000000',
    })
    expect(await p.status(owner)).toMatchObject({ plan_name: 'Growth', is_canceled: true, is_free_tier: false })
    expect(await p.post(owner, 'reactivate_plan')).toMatchObject({ is_canceled: false, plan_name: 'Growth' })
    expect([p.customersOf(slug).length, p.subscriptionsOf(slug).length]).toEqual([1, 1])
  })
})

it('a smaller plan follows on the terms that the operator gave the subscription, such as a coupon', async () => {
  await p.addCard(owner)
  await p.change(owner, 'Growth')
  const [subscription] = p.subscriptionsOf(slug)
  if (!subscription) throw new Error('Nothing was made')
  const terms = { discounts: ['di_1Simulated'], taxRates: ['txr_1Simulated'] }
  subscription.terms = terms
  await p.change(owner, 'Starter', 'period_end')
  expect(subscription.terms).toEqual(terms)
  p.pass(month)
  await p.work('billing.compare')
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Starter' })
  expect(subscription.terms).toEqual(terms)
})

describe('several at once, and answers that are lost', () => {
  it('make one customer, one subscription and one payment', async () => {
    p.faults.push({ kind: 'lose_answer', on: 'POST /v1/customers ', times: 3 })
    expect(await sdkError(p.post(owner, 'create_setup_intent'))).toMatchObject({ httpStatus: 503 })
    await Promise.all([1, 2, 3].map(() => p.post(owner, 'create_setup_intent')))
    expect(p.customersOf(slug)).toHaveLength(1)
    await p.addCard(owner)
    p.faults.push({ kind: 'lose_answer', on: 'POST /v1/subscriptions ', times: 3 })
    expect(await sdkError(p.change(owner, 'Growth'))).toMatchObject({ httpStatus: 503 })
    expect(await p.status(owner)).toMatchObject({ plan_name: 'Free' })
    const tries = await Promise.allSettled([1, 2, 3].map(() => p.change(owner, 'Growth')))
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ httpStatus: 409 })
    expect(await p.status(owner)).toMatchObject({ plan_name: 'Growth' })
    expect(p.subscriptionsOf(slug).map(({ status }) => status)).toEqual(['active'])
    expect((await p.invoices(slug)).map(({ total, status }) => [total, status])).toEqual([[39, 'Paid']])
  })

  it('what a platform admin gives costs nothing, and nobody gives another plan than the one that is paid for', async () => {
    await p.booted.person(`root@${slug}.example`, { platformAdmin: true })
    const root = await p.booted.signedIn(`root@${slug}.example`)
    const give = (plan: string) => p.post(root, 'easydash.api.platform.set_plan', { organization: slug, plan })
    await give('Pro')
    await p.work('billing.compare')
    expect(await p.status(owner)).toMatchObject({ plan_name: 'Pro' })
    await p.addCard(owner)
    expect(await p.status(owner)).toMatchObject({ plan_name: 'Pro' })
    expect(await sdkError(p.change(owner, 'Enterprise'))).toMatchObject({ httpStatus: 417, field: 'plan' })
    await p.change(owner, 'Growth')
    expect(await sdkError(give('Pro'))).toMatchObject({ httpStatus: 417, field: 'plan' })
    const { payments } = await p.post<{ payments: object }>(root, 'easydash.api.platform.health')
    // No event has ever arrived.
    expect(payments).toMatchObject({
      ok: false,
      last_event: null,
      income: expect.arrayContaining([expect.objectContaining({ plan: 'Growth' })]),
    })
  })

  it('a deleted organization pays no longer', async () => {
    await p.addCard(owner)
    await p.change(owner, 'Starter')
    const subscriptions = p.subscriptionsOf(slug)
    const claim = (change: string | null, change_until: string | null) =>
      p.inSystem((tx) => tx.updateColumns('Subscription Organization', slug, { change, change_until }))
    await claim('change', '2099-01-01 00:00:00.000000')
    await expect(p.inSystem((tx) => tx.delete('Organization', slug))).rejects.toMatchObject({ code: 'conflict' })
    await claim(null, null)
    await p.inSystem((tx) => tx.delete('Organization', slug))
    await p.work('billing.payments')
    expect(subscriptions.map(({ status }) => status)).toEqual(['canceled'])
  })
})

describe('cards that do not pay', () => {
  it('one that asks its holder pays once that has happened', async () => {
    const secret = await p.post<string>(owner, 'create_setup_intent')
    const intent = await p.confirm(secret, '4000002760003184')
    expect(await sdkError(p.post(owner, 'add_payment_method', { setupIntent: JSON.stringify(intent) }))).toMatchObject({
      httpStatus: 417,
      field: 'setupIntent',
    })
    await p.authenticate(secret)
    const first = await p.post(owner, 'add_payment_method', { setupIntent: JSON.stringify({ id: intent.id }) })
    expect(await p.post(owner, 'add_payment_method', { setupIntent: JSON.stringify({ id: intent.id }) })).toEqual(first)
    const { payment } = await p.change(owner, 'Starter')
    expect(payment).toMatchObject({ state: 'authentication_needed', amount: 12 })
    expect(await p.status(owner)).toMatchObject({
      plan_name: 'Free',
      payment: { state: 'authentication_needed', client_secret: payment?.client_secret },
    })
    await p.authenticate(payment?.client_secret ?? '')
    expect(await p.post(owner, 'refresh')).toMatchObject({ plan_name: 'Starter', payment: null })
  })

  it('an unpaid renewal keeps the plan for seven days, tells the owner three times, and deletes nothing', async () => {
    await p.addCard(owner)
    await p.change(owner, 'Growth')
    const [customer] = p.customersOf(slug)
    const bad = await p.confirm(await p.post<string>(owner, 'create_setup_intent'), '4000000000000341')
    await p.post(owner, 'add_payment_method', { setupIntent: JSON.stringify({ id: bad.id }) })
    expect(customer?.defaultMethod).not.toBeNull()
    const told = () => p.booted.mails.filter(({ to }) => to === `owner@${slug}.example`).length
    const before = told()
    p.pass(month + 2 * 3_600_000)
    await p.work('billing.compare')
    expect(await p.status(owner)).toMatchObject({ plan_name: 'Growth', payment: { state: 'failed', amount: 39 } })
    expect(await p.status(admin)).toMatchObject({ plan_name: 'Growth', payment: null })
    expect(told()).toBe(before + 1)
    p.pass(3 * 86_400_000)
    await p.work('billing.payments')
    await p.work('billing.payments')
    expect(told()).toBe(before + 2)
    p.pass(4 * 86_400_000)
    await p.work('billing.payments')
    expect(told()).toBe(before + 3)
    expect(await p.status(owner)).toMatchObject({ plan_name: 'Free', payment: null })
    expect(p.subscriptionsOf(slug).map(({ status }) => status)).toEqual(['canceled'])
  })
})

describe('events', () => {
  const event = (id: string, customer: string, type = 'customer.subscription.updated') =>
    JSON.stringify({ id, object: 'event', type, data: { object: { object: 'subscription', customer } } })
  const send = async (body: string, signature: string) =>
    (await fetch(p.webhook.url, { method: 'POST', body, headers: { 'stripe-signature': signature } })).status
  const signed = (body: string, at = p.now()) => signatureOf(p.webhook.secret, Math.floor(at / 1000), body)

  it('are believed only with their signature, in time, and once; what they say is asked for again', async () => {
    await p.addCard(owner)
    await p.change(owner, 'Starter')
    const [customer] = p.customersOf(slug)
    const [subscription] = p.subscriptionsOf(slug)
    if (!customer || !subscription) throw new Error('Nothing was made')
    const body = event('evt_1', customer.id)
    expect(await send(body, '')).toBe(417)
    expect(await send(body, signatureOf('whsec_other', Math.floor(p.now() / 1000), body))).toBe(417)
    expect(await send(`${body} `, signed(body))).toBe(417)
    expect(await send(body, signed(body, p.now() - 301_000))).toBe(417)
    expect(await send(body, signed(body, p.now() + 301_000))).toBe(417)
    subscription.cancelAtPeriodEnd = true
    expect(await send(body, signed(body))).toBe(200)
    await p.booted.billing.stop?.()
    expect(await p.status(owner)).toMatchObject({ is_canceled: true, plan_name: 'Starter' })
    const asked = p.vendor.seen.length
    expect(await send(body, signed(body))).toBe(200)
    await p.booted.billing.stop?.()
    expect(p.vendor.seen).toHaveLength(asked)
    // After a day it is no longer looked at by itself, but the comparison of all customers ends it.
    const late = event('evt_late', customer.id)
    p.faults.push({ kind: 'server_error', on: 'GET /v1/subscriptions', times: 3 })
    expect(await send(late, signed(late))).toBe(200)
    await p.booted.billing.stop?.()
    expect(p.booted.logged.splice(0)).toHaveLength(1)
    await p.inSystem(({ trx }) =>
      sql`update easydash_billing_event set received = received - interval '2 days' where id = 'evt_late'`.execute(trx),
    )
    const waiting = async () => (await p.booted.billing.paymentFigures())?.waiting_events
    expect(await waiting()).toBe(1)
    await p.work('billing.compare')
    expect(await waiting()).toBe(0)
    expect(await p.booted.billing.paymentFigures()).toMatchObject({ ok: true, last_event: expect.any(String) })
    const before = p.vendor.seen.length
    const foreign = event('evt_2', 'cus_unknown')
    expect(await send(foreign, signed(foreign))).toBe(200)
    await p.booted.billing.stop?.()
    expect(p.vendor.seen).toHaveLength(before)
  })
})

describe('who is not the owner', () => {
  it('gets 403 from every call, before its arguments are read', async () => {
    const { payment_method } = await p.addCard(owner)
    const calls = [
      'create_setup_intent',
      'add_payment_method',
      'change_plan',
      'preview_plan',
      'undo_plan',
      'cancel_plan',
      'reactivate_plan',
      'easydash.api.billing.refresh',
      'set_customer_details',
    ]
    for (const method of calls)
      expect([method, (await sdkError(p.post(admin, method, { plan: 'Growth' }))).httpStatus]).toEqual([method, 403])
    for (const method of ['change_plan', 'preview_plan', 'set_customer_details', 'add_payment_method']) {
      const call = p.post(admin, method, { plan: ['Growth'], customer_data: 'no JSON', setupIntent: 'no JSON' })
      expect([method, (await sdkError(call)).httpStatus]).toEqual([method, 403])
    }
    for (const doctype of ['Payment Method', 'Invoice'])
      expect((await sdkError(admin.app.db().getDocList(doctype))).httpStatus).toBe(403)
    for (const method of ['set_default', 'remove'])
      expect(
        (await sdkError(p.post(admin, 'run_doc_method', { dt: 'Payment Method', dn: payment_method, method })))
          .httpStatus,
      ).toBe(403)
  })
})

describe('pages', () => {
  it('only those about billing may load the script of the provider', async () => {
    const pages = { '/web/billing': true, '/web/site': false, '/web/billings': false }
    for (const [path, allowed] of Object.entries(pages)) {
      const page = await owner.fetch(path)
      expect([path, page.headers.get('content-security-policy')?.includes(p.vendor.url)]).toEqual([path, allowed])
      expect(await page.text()).toContain(`"payment_script":${allowed}`)
    }
  })
})
