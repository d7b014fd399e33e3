import type { Config } from '#server/platform/config/config.ts'
import { openStripe, type StripeApi } from './providers/stripe/stripe-client.ts'

/** The operator's account at Stripe; null if none is set. The configuration has all of its settings or none. */
export function stripeOf({ stripe }: Pick<Config, 'stripe'>): StripeApi | null {
  const { secretKey, publishableKey, webhookSecret, apiBase, automaticTax } = stripe
  if (secretKey === null || publishableKey === null || webhookSecret === null) return null
  return openStripe({ secretKey, publishableKey, webhookSecret, apiBase, automaticTax: automaticTax === 'on' })
}
