/** Stands in for the payment provider's script, which pages load from the provider. */
import { afterEach, beforeEach, vi } from 'vitest'
import type { PaymentProvider } from '#shared/responses/billing.ts'

type Listener = (change: { empty: boolean; complete: boolean; error?: { message: string } }) => void

/** What the stand-in does, and what it was asked for. A test changes what it answers. */
export interface FakePaymentScript {
  /** The provider as the server describes it. Each test has another address, because a page loads a script once. */
  readonly provider: PaymentProvider
  /** Addresses that were loaded. */
  readonly loaded: readonly string[]
  /** Whether loading succeeds. */
  loads: boolean
  confirmSetup: (secret: string, details: unknown) => Promise<object>
  confirmPayment: (secret: string) => Promise<object>
  /** Enters something into the card field. */
  enterCard(): void
}

const entered = { empty: false, complete: true }
let number = 0

/** A stand-in for each test of the file. */
export function fakePaymentScript(): FakePaymentScript {
  const loaded: string[] = []
  const listeners = new Map<string, Listener>()
  const script = {
    provider: { name: 'stripe', publishable_key: 'pk_test', script_url: '' } as {
      -readonly [K in keyof PaymentProvider]: PaymentProvider[K]
    },
    loaded,
    loads: true,
    confirmSetup: async () => ({}),
    confirmPayment: async () => ({}),
    enterCard: () => listeners.get('change')?.(entered),
  } as FakePaymentScript & { provider: { script_url: string } }
  const card = {
    mount: () => listeners.get('ready')?.(entered),
    on: (event: string, listener: Listener) => void listeners.set(event, listener),
    update: () => undefined,
    focus: () => undefined,
    destroy: () => listeners.clear(),
  }
  beforeEach(() => {
    number += 1
    script.provider.script_url = `https://provider.test/${number}/`
    loaded.length = 0
    script.loads = true
    script.confirmSetup = () => Promise.resolve({ setupIntent: { id: 'seti_1', status: 'succeeded' } })
    script.confirmPayment = () => Promise.resolve({ paymentIntent: { id: 'pi_1', status: 'succeeded' } })
    vi.spyOn(document.head, 'append').mockImplementation((element) => {
      if (!(element instanceof HTMLScriptElement)) return
      loaded.push(element.src)
      queueMicrotask(() => {
        if (!script.loads) return element.onerror?.(new Event('error'))
        window.Stripe = () => ({
          elements: () => ({ create: () => card }),
          confirmCardSetup: (secret, details) => script.confirmSetup(secret, details),
          confirmCardPayment: (secret) => script.confirmPayment(secret),
        })
        element.onload?.(new Event('load'))
      })
    })
    window.easydash = { payment_script: true }
  })
  afterEach(() => {
    vi.restoreAllMocks()
    delete window.Stripe
    delete window.easydash
  })
  return script
}
