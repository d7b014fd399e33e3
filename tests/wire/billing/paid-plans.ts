/** A server whose plans are paid for at the simulated Stripe, with the owner of an organization in a browser. */
import { expect } from 'vitest'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { serveVendor, type ReceivedRequest } from '#server/providers/simulator/simulated-vendor.ts'
import { simulatedStripe } from '#server/providers/simulator/stripe/simulated-stripe.ts'
import { makePrice } from '#server/providers/stripe/prices.ts'
import { openStripe } from '#server/providers/stripe/stripe-client.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { InvoiceDoctype, type Invoice } from '#shared/doctypes/invoice.ts'
import { PaymentMethodDoctype, type PaymentMethod } from '#shared/doctypes/payment-method.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { stripeJudge } from '#tests/contracts/vendors/stripe-judge.ts'
import { boot } from '../booted.ts'
import type { Browser } from '../browser.ts'
import type { PlanChange } from '#server/features/billing/plan-answer.ts'

const keys = {
  secretKey: 'sk_test_simulated',
  publishableKey: 'pk_test_simulated',
  webhookSecret: 'whsec_simulated',
}

/** The start of all clocks. */
const start = Date.UTC(2026, 0, 15, 12)

const statusMethod =
  'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status'

/** What happens to requests at the provider. */
interface Arrival {
  /** What a request waits for before the provider carries it out. */
  wait: ((request: ReceivedRequest) => Promise<void>) | null
  /** Whether who asked is dead by then: before it is carried out, which does not happen any more, or after that, unheard. */
  isGone: ((request: ReceivedRequest, moment: 'before' | 'after') => boolean) | null
}

/** Starts it; the plans Starter and Growth have prices. */
export async function openPaidPlans({ automaticTax = false } = {}) {
  let now = start
  const simulated = simulatedStripe({ ...keys, now: () => now })
  const faults: Fault[] = []
  const answer = withFaults(simulated, faults)
  const arrival: Arrival = { wait: null, isGone: null }
  const vendor = await serveVendor(
    async (request) => {
      await arrival.wait?.(request)
      if (arrival.isGone?.(request, 'before')) return 'close'
      const answered = await answer(request)
      return arrival.isGone?.(request, 'after') ? 'close' : answered
    },
    { judge: stripeJudge() },
  )
  const settings = { ...keys, apiBase: vendor.url, automaticTax }
  const api = openStripe(settings)
  for (const [plan, amount] of [
    ['Starter', 12],
    ['Growth', 39],
  ] as const)
    await makePrice(api, { plan, amount, currency: 'EUR' }, { before: null, productName: `Easydash ${plan}` })
  const booted = await boot({ stripe: settings, now: () => now })
  const post = async <T>(browser: Browser, method: string, params: object = {}): Promise<T> =>
    ((await browser.app.call().post(method, params)) as { message: T }).message
  const inSystem = <T>(fn: (tx: Tx) => Promise<T>): Promise<T> => booted.documents.transaction(booted.system, fn)

  /** What the provider's script in the browser does: the card goes there and nowhere else. */
  async function confirm(secret: string, number: string, year = '30'): Promise<{ id: string; status?: string }> {
    const [id = ''] = secret.split('_secret_')
    const response = await fetch(`${vendor.url}/v1/setup_intents/${id}/confirm`, {
      method: 'POST',
      body: new URLSearchParams({
        key: keys.publishableKey,
        client_secret: secret,
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': number,
        'payment_method_data[card][exp_month]': '12',
        'payment_method_data[card][exp_year]': year,
        'payment_method_data[card][cvc]': '123',
      }),
    })
    return (await response.json()) as { id: string; status?: string }
  }

  /** What the operator can do in the provider's dashboard. */
  async function deleteCustomer(id: string): Promise<void> {
    const headers = { authorization: `Bearer ${keys.secretKey}` }
    const response = await fetch(`${vendor.url}/v1/customers/${id}`, { method: 'DELETE', headers })
    if (response.status !== 200) throw new Error(await response.text())
  }

  /** Confirms what the provider wants its customer to confirm. */
  async function authenticate(secret: string): Promise<void> {
    const [id = ''] = secret.split('_secret_')
    const body = new URLSearchParams({ key: keys.publishableKey, client_secret: secret, result: 'complete' })
    const response = await fetch(`${vendor.url}/_simulator/authenticate/${id}`, { method: 'POST', body })
    if (response.status !== 200) throw new Error(await response.text())
  }

  const close = async () => {
    await simulated.webhooks.settled()
    await booted.billing.stop?.()
    await booted.close()
    await vendor.close()
  }
  let organizations = 0

  return {
    ...simulated,
    vendor,
    faults,
    arrival,
    settings,
    booted,
    post,
    inSystem,
    confirm,
    authenticate,
    deleteCustomer,
    webhook: { url: `http://127.0.0.1:${booted.port}/webhooks/stripe`, secret: keys.webhookSecret },
    pass: (ms: number) => void (now += ms),
    now: () => now,
    status: (browser: Browser) => post<SubscriptionStatus>(browser, statusMethod),
    change: (browser: Browser, plan: string, when = 'now') =>
      post<PlanChange>(browser, 'easydash.api.billing.change_plan', { plan, when }),
    row: (organization: string) => inSystem((tx) => tx.get(SubscriptionDoctype, organization)),
    cards: (organization: string): Promise<PaymentMethod[]> =>
      inSystem((tx) => tx.list(PaymentMethodDoctype, [['organization', '=', organization]])),
    invoices: (organization: string): Promise<Invoice[]> =>
      inSystem((tx) => tx.list(InvoiceDoctype, [['organization', '=', organization]], { order_by: 'date' })),
    /** Adds a card as the owner does. */
    async addCard(browser: Browser, number = '4242424242424242') {
      const secret = await post<string>(browser, 'create_setup_intent')
      const intent = await confirm(secret, number)
      return post<{ payment_method: string }>(browser, 'add_payment_method', { setupIntent: JSON.stringify(intent) })
    },
    async work(name: string) {
      const found = booted.billing.schedules.find((one) => one.name === name)
      if (!found) throw new Error(`There is no schedule ${name}`)
      await found.run()
    },
    /** A new organization, whose owner and admin are signed in. */
    async organization() {
      organizations += 1
      const slug = `org-${organizations}`
      await booted.organization(slug, { [`admin@${slug}.example`]: 'Organization Admin' })
      const signedIn = (who: string) => booted.signedIn(`${who}@${slug}.example`)
      const [owner, admin] = await Promise.all([signedIn('owner'), signedIn('admin')])
      return { slug, owner, admin }
    },
    /** Customers of an organization at the provider. */
    customersOf: (slug: string) =>
      [...simulated.state.customers.values()].filter(({ metadata }) => metadata['organization'] === slug),
    subscriptionsOf: (slug: string) =>
      [...simulated.state.subscriptions.values()].filter(({ metadata }) => metadata['organization'] === slug),
    close,
    /** Closes; fails for requests that the provider's description does not have, and for logged errors. */
    async closeUnharmed() {
      await close()
      expect(vendor.problems).toEqual([])
      expect(booted.logged).toEqual([])
    },
  }
}

export type PaidPlans = Awaited<ReturnType<typeof openPaidPlans>>
