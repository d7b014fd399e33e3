import { useEffect, useState } from 'react'
import type { PaymentProvider } from '#shared/responses/billing.ts'
import { loadPaymentScript, type PaymentScript } from './provider-script.ts'

/** The provider's script, loaded while a component that needs it is on screen. */
export function usePaymentScript(provider: PaymentProvider): {
  /** Null until it is loaded. */
  readonly script: PaymentScript | null
  readonly failed: boolean
  readonly retry: () => void
} {
  const [script, setScript] = useState<PaymentScript | null>(null)
  const [failed, setFailed] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const { script_url, publishable_key, name } = provider
  useEffect(() => {
    let isCurrent = true
    loadPaymentScript({ name, script_url, publishable_key }).then(
      (loaded) => {
        if (isCurrent) setScript(loaded)
      },
      () => {
        if (isCurrent) setFailed(true)
      },
    )
    return () => {
      isCurrent = false
    }
  }, [name, script_url, publishable_key, attempt])
  return {
    script,
    failed,
    retry: () => {
      setFailed(false)
      setAttempt((before) => before + 1)
    },
  }
}
