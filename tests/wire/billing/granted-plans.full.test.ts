import { afterAll, beforeAll, expect, it } from 'vitest'
import { sdkError, type Browser } from '../browser.ts'
import { openPaidPlans, type PaidPlans } from './paid-plans.ts'

const slug = 'given'
let p: PaidPlans
beforeAll(async () => {
  p = await openPaidPlans({ automaticTax: true })
})
afterAll(() => p.closeUnharmed())

const fillAddress = (owner: Browser) =>
  p.post(owner, 'set_customer_details', {
    customer_data: {
      address_line_1: 'Lane 1',
      company_city: 'Bonn',
      company_state: 'NRW',
      company_country: 'de',
      company_pincode: '53111',
    },
  })

it('a plan that was given ends on its day, of which the owner is told, unless it is paid for before', async () => {
  await p.booted.organization(slug)
  const owner = await p.booted.signedIn(`owner@${slug}.example`)
  await p.booted.person(`root@${slug}.example`, { platformAdmin: true })
  const root = await p.booted.signedIn(`root@${slug}.example`)
  const platform = <A>(method: string, params: object = {}) =>
    p.post<A>(root, `easydash.api.platform.${method}`, params)
  await platform('set_plan', { organization: slug, plan: 'Growth' })
  const own = async () => {
    const { rows } = await platform<{ rows: { organization: string; ends: string | null }[] }>('granted_plans')
    return rows.find(({ organization }) => organization === slug)
  }
  expect(await own()).toMatchObject({ plan: 'Growth', ends: null })
  // Its owner can end it, too; whoever gave it can take that back.
  await p.change(owner, 'Free', 'period_end')
  expect((await own())?.ends).toEqual(expect.any(String))
  await platform('end_granted_plan', { organization: slug })
  expect(await own()).toMatchObject({ ends: null })
  const day = (days: number) => new Date(p.now() + days * 86_400_000).toISOString().slice(0, 10)
  for (const until of [day(0), day(400), '2026-02-30'])
    expect(await sdkError(platform('end_granted_plan', { organization: slug, until }))).toMatchObject({
      field: 'until',
    })
  await platform('end_granted_plan', { organization: slug, until: day(10) })
  expect(await own()).toMatchObject({ ends: expect.stringContaining(day(10)) as string })
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Growth', is_canceled: true, is_grant_ending: true })
  expect(
    p.booted.mails.filter(
      ({ to, text }) => to === `owner@${slug}.example` && text.includes('the Growth plan for nothing'),
    ),
  ).toHaveLength(1)
  // Its owner does not take that back, in whatever way.
  for (const method of ['reactivate_plan', 'cancel_plan'])
    expect(await sdkError(p.post(owner, `easydash.api.billing.${method}`))).toMatchObject({ httpStatus: 409 })
  expect(await sdkError(p.change(owner, 'Free', 'period_end'))).toMatchObject({ httpStatus: 409 })
  await fillAddress(owner)
  await p.addCard(owner)
  await p.change(owner, 'Growth')
  expect(await own()).toBeUndefined()
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Growth', is_canceled: false, is_grant_ending: false })
  expect(await sdkError(platform('end_granted_plan', { organization: slug, until: day(10) }))).toMatchObject({
    field: 'organization',
  })
})

it('what was not paid for by its day is Free the day after, and nothing else', async () => {
  await p.booted.organization('late')
  const owner = await p.booted.signedIn('owner@late.example')
  const root = await p.booted.signedIn(`root@${slug}.example`)
  await p.post(root, 'easydash.api.platform.set_plan', { organization: 'late', plan: 'Pro' })
  const until = new Date(p.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  await p.post(root, 'easydash.api.platform.end_granted_plan', { organization: 'late', until })
  await p.post(root, 'easydash.api.platform.end_granted_plan', { organization: 'late' })
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Pro', is_canceled: false })
  await p.post(root, 'easydash.api.platform.end_granted_plan', { organization: 'late', until })
  p.pass(Date.parse(`${until}T23:59:00Z`) - p.now())
  await p.work('billing.due_plans')
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Pro', is_canceled: true })
  p.pass(120_000)
  await p.work('billing.due_plans')
  expect(await p.status(owner)).toMatchObject({ plan_name: 'Free', is_canceled: false })
  expect(await sdkError(p.post(owner, 'easydash.api.platform.granted_plans'))).toMatchObject({ httpStatus: 403 })
})

it('where the provider calculates taxes, they are asked for with an address, and previews and invoices have them', async () => {
  const { slug: taxed, owner } = await p.organization()
  await p.addCard(owner)
  const preview = (plan: string, when: string) =>
    p.post<{ due_now: number; next_bill: { amount: number } }>(owner, 'preview_plan', { plan, when })
  for (const call of [() => preview('Starter', 'now'), () => p.change(owner, 'Starter')])
    expect(await sdkError(call())).toMatchObject({
      httpStatus: 417,
      exception: expect.stringContaining('The tax cannot be calculated for your address.') as string,
    })
  await fillAddress(owner)
  await p.work('billing.payments')
  expect(await preview('Starter', 'now')).toMatchObject({ due_now: 14.28, next_bill: { amount: 14.28 } })
  expect(await p.change(owner, 'Starter')).toMatchObject({ payment: { state: 'paid', amount: 14.28 } })
  expect(await preview('Growth', 'now')).toMatchObject({ due_now: 32.13, next_bill: { amount: 46.41 } })
  await p.change(owner, 'Growth')
  expect(await preview('Starter', 'period_end')).toMatchObject({ due_now: 0, next_bill: { amount: 14.28 } })
  p.pass(32 * 86_400_000)
  await p.work('billing.compare')
  const invoices = await p.invoices(taxed)
  expect(new Set(invoices.map(({ total, status }) => `${total} ${status}`))).toEqual(
    new Set(['14.28 Paid', '32.13 Paid', '46.41 Paid']),
  )
})
