import type { StripeSettings } from './stripe-client.ts'

/** Where browsers load the provider's script, which takes cards; never from here. */
export const scriptUrl = (apiBase: StripeSettings['apiBase']): string => `${apiBase ?? 'https://js.stripe.com'}/v3/`

/** Origins that a page needs while it takes a card (https://docs.stripe.com/security/guide). */
export function scriptOrigins(apiBase: StripeSettings['apiBase']) {
  if (apiBase !== null) return { scripts: [apiBase], frames: [apiBase], requests: [apiBase] }
  // The script starts its frames on changing subdomains.
  const own = ['https://js.stripe.com', 'https://*.js.stripe.com']
  return { scripts: own, frames: [...own, 'https://hooks.stripe.com'], requests: ['https://api.stripe.com'] }
}
