import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '#server/contracts/session.ts'
import { simulatorsFile, type DemoVendors } from './demo-vendors.ts'
import { makePrices, priceChanges } from './features/billing/payments/sync-prices.ts'
import type { Product } from './product.ts'
import { openStripe } from './providers/stripe/stripe-client.ts'

/** A card of the provider's test list that is always charged. */
const card = {
  'payment_method_data[type]': 'card',
  'payment_method_data[card][number]': '4242424242424242',
  'payment_method_data[card][exp_month]': '12',
  'payment_method_data[card][exp_year]': String(new Date().getUTCFullYear() + 4),
  'payment_method_data[card][cvc]': '123',
  'payment_method_data[billing_details][name]': 'Olivia Hart',
}

/** Makes the prices at the simulated Stripe, and lets the owner of an organization pay for a plan there as people do. */
export async function demoBilling({ documents }: Product, owner: Session, organization: string): Promise<void> {
  const folder = process.env['EASYDASH_DATA_DIR'] ?? ''
  const { stripe } = JSON.parse(await readFile(join(folder, simulatorsFile), 'utf8')) as DemoVendors
  const { url, secret_key: secretKey, publishable_key: publishableKey, webhook_secret: webhookSecret } = stripe
  const api = openStripe({ secretKey, publishableKey, webhookSecret, apiBase: url, automaticTax: false })
  await makePrices(api, await priceChanges(documents, api), 'Easydash')
  const act = (action: string, args: Record<string, unknown> = {}) =>
    documents.runAction(owner, 'Subscription Organization', organization, action, args)
  const { client_secret } = (await act('create_setup_intent')) as { client_secret: string }
  const [id = ''] = client_secret.split('_secret_')
  const response = await fetch(`${url}/v1/setup_intents/${id}/confirm`, {
    method: 'POST',
    body: new URLSearchParams({ ...card, key: publishableKey, client_secret }),
  })
  if (!response.ok) throw new Error(`The simulated Stripe does not take the card: ${await response.text()}`)
  await act('add_payment_method', { setup_intent: { id } })
  await act('change_plan', { plan: 'Starter', when: 'now' })
}
