/** The official client of Stripe on the simulator, judged, with a card from a browser. */
import Stripe from 'stripe'
import { expect, onTestFinished } from 'vitest'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import { simulatedStripe } from '#server/providers/simulator/stripe/simulated-stripe.ts'
import { stripeJudge } from './stripe-judge.ts'

export const stripeKeys = {
  secretKey: 'sk_test_simulated',
  publishableKey: 'pk_test_simulated',
  webhookSecret: 'whsec_simulated',
}

export const start = Date.UTC(2026, 0, 15, 12)

/** Starts it at the 15th of January 2026, with the plans Starter at 12 and Growth at 39 EUR. */
export async function startStripe() {
  let now = start
  const simulated = simulatedStripe({ ...stripeKeys, now: () => now })
  const faults: Fault[] = []
  const vendor = await serveVendor(withFaults(simulated, faults), { judge: stripeJudge() })
  onTestFinished(async () => {
    await simulated.webhooks.settled()
    await vendor.close()
    expect(vendor.problems).toEqual([])
  })
  const { hostname: host, port } = new URL(vendor.url)
  const client = (key: string) =>
    new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries: 2, telemetry: false })
  const stripe = client(stripeKeys.secretKey)
  const price = async (plan: string, amount: number) => {
    const product_data = { name: plan }
    const recurring = { interval: 'month' } as const
    const lookup_key = `easydash_${plan.toLowerCase()}_monthly`
    return stripe.prices.create({ currency: 'eur', unit_amount: amount, product_data, recurring, lookup_key })
  }
  return {
    ...simulated,
    vendor,
    faults,
    stripe,
    client,
    starter: await price('Starter', 1200),
    growth: await price('Growth', 3900),
    pass: (seconds: number) => void (now += seconds * 1000),
  }
}

export interface Asked {
  readonly status: number
  readonly body: Record<string, unknown> & { error?: Record<string, unknown> }
}

/** Asks as a browser does. */
export async function askAsBrowser(
  { url }: VendorServer,
  path: string,
  fields: Record<string, string>,
): Promise<Asked> {
  const response = await fetch(url + path, { method: 'POST', body: new URLSearchParams(fields) })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  return { status: response.status, body: (await response.json()) as Asked['body'] }
}

/** Confirms a setup intent with a card, as the script in the browser does. */
export function confirmCard(
  vendor: VendorServer,
  intent: Stripe.SetupIntent,
  number = '4242424242424242',
): Promise<Asked> {
  return askAsBrowser(vendor, `/v1/setup_intents/${intent.id}/confirm`, {
    key: stripeKeys.publishableKey,
    client_secret: intent.client_secret ?? '',
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': number,
    'payment_method_data[card][exp_month]': '12',
    'payment_method_data[card][exp_year]': '30',
    'payment_method_data[card][cvc]': '123',
    'payment_method_data[billing_details][name]': 'Ada',
    'payment_method_data[billing_details][address][country]': 'DE',
  })
}

/** A customer with a card that pays; on a clock of its own where one is given. */
export async function customerWithCard(
  stripe: Stripe,
  card = 'pm_card_visa',
  clock?: string,
): Promise<Stripe.Customer> {
  const customer = await stripe.customers.create({ name: 'Acme', ...(clock !== undefined && { test_clock: clock }) })
  const { id } = await stripe.paymentMethods.attach(card, { customer: customer.id })
  return stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: id } })
}
