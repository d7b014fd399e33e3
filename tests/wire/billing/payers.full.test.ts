/** Who pays, as the provider is told. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { lockedSubscription } from '#server/features/billing/payments/customer.ts'
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

it('what is counted and charged is that of who pays now, also if the provider could not be told before', async () => {
  await p.addCard(owner)
  const save = async (billing_name: string) => {
    p.faults.push({ kind: 'server_error', on: 'POST /v1/customers/', times: 3 })
    await p.inSystem((tx) => tx.update('Billing Profile', slug, { billing_name }))
    await p.booted.billing.stop?.()
    expect(p.faults).toEqual([])
    expect(p.booted.logged.splice(0)).toHaveLength(1)
  }
  const named = () => p.customersOf(slug).map(({ name }) => name)
  await save('First GmbH')
  await p.post(owner, 'preview_plan', { plan: 'Starter', when: 'now' })
  expect(named()).toEqual(['First GmbH'])
  for (const [plan, name] of [
    ['Starter', 'Second GmbH'],
    ['Growth', 'Third GmbH'],
  ] as const) {
    await save(name)
    await p.change(owner, plan)
    expect([...p.state.invoices.values()].findLast(({ customer }) => customer.name === name)?.snapshot).toMatchObject({
      name,
    })
  }
})

const toldOf = (seen: readonly { method: string; path: string }[]) =>
  seen.filter(({ method, path }) => method === 'POST' && /^\/v1\/customers\/\w+$/.test(path)).length

it('who pays is told after plans that are due were followed, and to a provider that answers nobody once', async () => {
  await p.addCard(owner)
  const other = await p.organization()
  await p.addCard(other.owner)
  await p.change(owner, 'Starter')
  p.pass(month + 60_000)
  for (const name of [slug, other.slug])
    await p.inSystem((tx) => tx.updateColumns('Subscription Organization', name, { payer_due: 1 }))
  p.faults.push({ kind: 'server_error', times: 10_000 })
  const before = p.vendor.seen.length
  await p.work('billing.payments')
  const asked = p.vendor.seen.slice(before)
  // Stripe's client tries three times.
  expect(toldOf(asked)).toBe(3)
  expect(asked.findLastIndex(({ path }) => path.startsWith('/v1/subscriptions'))).toBeLessThan(asked.length - 3)
  p.faults.length = 0
  expect(p.booted.logged.splice(0).at(-1)).toContain('could not be told who pays')
  await p.work('billing.payments')
  expect(toldOf(p.vendor.seen.slice(before))).toBe(5)
})

it('who pays is told again an hour after a refusal, and other values at once', async () => {
  await p.addCard(owner)
  const [customer] = p.customersOf(slug)
  if (!customer) throw new Error('There is no customer')
  const told = async (work: () => Promise<unknown>) => {
    const before = p.vendor.seen.length
    await work()
    await p.booted.billing.stop?.()
    return [toldOf(p.vendor.seen.slice(before)), p.booted.logged.splice(0).length]
  }
  const save = (billing_name: string) => p.inSystem((tx) => tx.update('Billing Profile', slug, { billing_name }))
  customer.isDeleted = true
  expect(await told(() => save('First GmbH'))).toEqual([1, 1])
  expect(await told(() => p.work('billing.payments'))).toEqual([0, 0])
  expect(await told(() => save('Second GmbH'))).toEqual([1, 1])
  p.pass(3_600_000)
  expect(await told(() => p.work('billing.payments'))).toEqual([1, 1])
  customer.isDeleted = false
  p.pass(3_600_000)
  expect(await told(() => p.work('billing.payments'))).toEqual([1, 0])
  expect(customer.name).toBe('Second GmbH')
})

it('of two that tell who pays at once, what was saved last stays, whichever arrives last', async () => {
  await p.addCard(owner)
  const save = (billing_name: string) =>
    p.inSystem((tx) => tx.update('Billing Profile', slug, { billing_name })) as Promise<unknown>
  const [arrived, carriedOut] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  p.arrival.wait = async ({ method, body }) => {
    if (method !== 'POST' || !body.includes('Former')) return
    arrived.resolve()
    await carriedOut.promise
  }
  await save('Former GmbH')
  await arrived.promise
  await save('Present GmbH')
  await p.post(owner, 'create_setup_intent')
  expect(p.customersOf(slug)).toMatchObject([{ name: 'Present GmbH' }])
  carriedOut.resolve()
  await p.booted.billing.stop?.()
  p.arrival.wait = null
  expect(p.customersOf(slug)).toMatchObject([{ name: 'Present GmbH' }])
})

it('a profile that is saved waits for what the provider said about it, and stops nothing', async () => {
  await p.addCard(owner)
  const isWaiting = async () =>
    (await p.inSystem(({ trx }) => sql`select 1 from pg_locks where not granted`.execute(trx))).rows.length > 0
  const save = () =>
    p.post(owner, 'frappe.client.set_value', {
      ...{ doctype: 'Billing Profile', name: slug },
      ...{ fieldname: 'billing_name', value: 'Present GmbH' },
    })
  const saving: Promise<unknown>[] = []
  await p.inSystem(async (tx) => {
    await lockedSubscription(tx, slug)
    if (saving.length === 0) saving.push(save())
    while (!(await isWaiting()));
    await tx.get('Billing Profile', slug, { lock: true })
  })
  await Promise.all(saving)
  await p.booted.billing.stop?.()
  expect(p.booted.logged).toEqual([])
  expect(p.customersOf(slug)).toMatchObject([{ name: 'Present GmbH' }])
})

it('the tax number is on invoices; one that the provider does not take is said to be missing there', async () => {
  await p.addCard(owner)
  const profile = { address_line_1: 'Lane 1', company_city: 'Bonn', company_state: 'NRW', company_pincode: '53111' }
  const save = async (company_country: string, tax_id?: string) => {
    await p.post(owner, 'set_customer_details', { customer_data: { ...profile, company_country, tax_id } })
    await p.work('billing.payments')
    const { billing_info } = await p.post<{ billing_info: object }>(owner, 'get_user_profile')
    return {
      billing_info,
      there: p.customersOf(slug).flatMap(({ taxIds }) => taxIds.map(({ type, value }) => [type, value])),
    }
  }
  expect(await save('de', '123 456 789')).toMatchObject({
    billing_info: { tax_id: '123 456 789', is_tax_id_refused: false },
    there: [['eu_vat', 'DE123456789']],
  })
  expect(await save('de')).toMatchObject({ there: [['eu_vat', 'DE123456789']] })
  await p.change(owner, 'Starter')
  expect(
    [...p.state.invoices.values()].find(({ customer }) => customer.metadata['organization'] === slug),
  ).toMatchObject({
    snapshot: { taxIds: [{ value: 'DE123456789' }], address: { line1: 'Lane 1', country: 'DE' } },
  })
  // The operator adds two there; one of them is the next one of the owner.
  const made = { created: 0, type: 'gb_vat' }
  p.customersOf(slug)[0]?.taxIds.push(
    { ...made, id: 'txi_same', value: 'GB980780684' },
    { ...made, id: 'txi_other', value: 'GB123456789' },
  )
  expect(await save('gb', 'GB980780684')).toMatchObject({
    there: [
      ['gb_vat', 'GB980780684'],
      ['gb_vat', 'GB123456789'],
    ],
  })
  expect(await save('gb', '')).toMatchObject({ there: [['gb_vat', 'GB123456789']] })
  p.customersOf(slug)[0]?.taxIds.pop()
  await save('gb', 'GB980780684')
  expect(await save('fr', '12')).toMatchObject({ billing_info: { is_tax_id_refused: true }, there: [] })
  // Of a country whose numbers the provider does not know.
  expect(await save('aq', '7777')).toMatchObject({ billing_info: { is_tax_id_refused: true }, there: [] })
  expect(await save('aq', '')).toMatchObject({ billing_info: { tax_id: '', is_tax_id_refused: false }, there: [] })
})
