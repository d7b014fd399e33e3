import type { StripeSettings } from './stripe-client.ts'

/** Where browsers load the provider's script, which takes cards; never from here. */
export const scriptUrl = (apiBase: StripeSettings['apiBase']): string => `${apiBase ?? 'https://js.stripe.com'}/v3/`

/** Origins that a page needs while it takes a card: of the script, its frames, and its requests. */
export function scriptOrigins(apiBase: StripeSettings['apiBase']): readonly string[] {
  return apiBase === null ? ['https://js.stripe.com', 'https://api.stripe.com', 'https://hooks.stripe.com'] : [apiBase]
}
