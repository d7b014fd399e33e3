import { ApiError } from '#web/lib/api/api-error.ts'
import { withRequestTimeout } from '#web/lib/api/request-timeout.ts'
import { boot } from '#web/lib/session/boot.ts'
import type { PaymentProvider } from '#shared/responses/billing.ts'
import { tCard } from './messages.ts'

/** Why the provider refused a card or a payment; the message is for the person who pays. */
interface ProviderError {
  readonly message?: string
}

/** What the card field reports with each change. */
interface CardChange {
  readonly empty: boolean
  readonly complete: boolean
  readonly error?: ProviderError | undefined
}

/** Appearance of the card field. */
export interface CardStyle {
  readonly base: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly invalid: Readonly<Record<string, string>>
}

/** The provider's field for card details, a frame that nothing here can read. */
export interface CardElement {
  mount(box: HTMLElement): void
  on(event: 'ready', listener: () => void): void
  on(event: 'change', listener: (change: CardChange) => void): void
  update(options: { style: CardStyle }): void
  focus(): void
  destroy(): void
}

/** Whom a card belongs to, as the provider takes it. */
interface BillingDetails {
  readonly name: string
  readonly address: Readonly<Record<'line1' | 'city' | 'state' | 'country' | 'postal_code', string>>
}

/** What is used of the provider's script (https://docs.stripe.com/js). */
export interface PaymentScript {
  elements(): { create(type: 'card', options: { hidePostalCode: true; style: CardStyle }): CardElement }
  confirmCardSetup(
    secret: string,
    details: { payment_method: { card: CardElement; billing_details: BillingDetails } },
  ): Promise<{ setupIntent?: object; error?: ProviderError }>
  confirmCardPayment(secret: string): Promise<{ paymentIntent?: object; error?: ProviderError }>
}

declare global {
  interface Window {
    Stripe?: (key: string) => PaymentScript
  }
}

let loading: { readonly url: string; readonly loaded: Promise<void> } | null = null

function addScript(url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const script = document.createElement('script')
  script.src = url
  script.onload = () => resolve()
  script.onerror = () => {
    script.remove()
    reject(new ApiError(tCard('add.not_loaded')))
  }
  document.head.append(script)
  return withRequestTimeout(promise)
}

/** The provider's script, which is added to the page with the first call. A failed attempt can be repeated. */
export async function loadPaymentScript(provider: PaymentProvider): Promise<PaymentScript> {
  const url = provider.script_url
  if (loading?.url !== url) loading = { url, loaded: addScript(url) }
  try {
    await loading.loaded
    if (!window.Stripe) throw new ApiError(tCard('add.not_loaded'))
    return window.Stripe(provider.publishable_key)
  } catch (error) {
    loading = null
    throw error
  }
}

/** Whether this document may load the script. Only those of the billing page may, so that no other page can reach the provider. */
export const mayLoadPaymentScript = (): boolean => boot().payment_script

/** What the billing page opens once it was loaded as a document of its own: the dialog for a card, or the bank's question. */
export type BillingPurpose = 'add' | 'confirm'

const hashes = { add: '#payment-methods', confirm: '#plans' } as const

/** Loads the billing page as a document of its own, which may load the script. */
export function loadBillingDocument(purpose: BillingPurpose): void {
  location.assign(`/web/billing?${purpose}=1${hashes[purpose]}`)
}
