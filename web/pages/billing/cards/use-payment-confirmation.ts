import { useState } from 'react'
import { subscriptionStatus, type PaymentProvider } from '#shared/responses/billing.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { tCard } from './messages.ts'
import { loadBillingDocument, loadPaymentScript, mayLoadPaymentScript } from './provider-script.ts'

/** Confirming a payment that the bank asks about (3-D Secure). */
export interface PaymentConfirmation {
  readonly busy: boolean
  /** Why the last attempt failed. */
  readonly failure: string | null
  /** Opens the bank's question, then has the server read the payment again, whatever the answer was. */
  readonly confirm: (secret: string) => Promise<void>
}

/** Confirms payments at the provider; `reload` refetches the plan. */
export function usePaymentConfirmation(
  provider: PaymentProvider | null,
  reload: () => Promise<void>,
): PaymentConfirmation {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const confirm = async (secret: string) => {
    if (!provider || busy) return
    if (!mayLoadPaymentScript()) return loadBillingDocument('confirm')
    setBusy(true)
    setFailure(null)
    try {
      const script = await loadPaymentScript(provider)
      const { error } = await script.confirmCardPayment(secret)
      const { payment } = checkedResult(subscriptionStatus, await call('easydash.api.billing.refresh'))
      await reload()
      if (error) setFailure(error.message || tCard('add.unconfirmed'))
      else if (payment === null) showToast({ title: tCard('pay.confirmed_title'), variant: 'success' })
    } catch (error) {
      setFailure(fullMessage(toApiError(error)))
    } finally {
      setBusy(false)
    }
  }
  return { busy, failure, confirm }
}
