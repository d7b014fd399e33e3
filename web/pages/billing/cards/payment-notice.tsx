import { useEffect, useEffectEvent } from 'react'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { formatMoney } from '#web/lib/i18n/format.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { tCard } from './messages.ts'
import { mayLoadPaymentScript } from './provider-script.ts'
import type { PaymentConfirmation } from './use-payment-confirmation.ts'

/** Asks to confirm a payment at the bank, and says why that failed. What is not paid otherwise is a banner of the shell. */
export function PaymentNotice({
  payment,
  confirmation,
}: {
  payment: NonNullable<SubscriptionStatus['payment']>
  confirmation: PaymentConfirmation
}) {
  const { organization } = useSession()
  const [params, setParams] = useSearchParams()
  // The document that was loaded to confirm it, by `loadBillingDocument`.
  const isAsked = params.get('confirm') === '1'
  const { state, client_secret: secret, grace_until: until } = payment
  const needsConfirmation = state === 'authentication_needed' && secret !== null
  const start = useEffectEvent(() => {
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        next.delete('confirm')
        return next
      },
      { replace: true },
    )
    // Only here: without the script, `confirm` loads the document again.
    if (needsConfirmation && mayLoadPaymentScript()) void confirmation.confirm(secret)
  })
  useEffect(() => {
    if (isAsked) start()
  }, [isAsked])
  const { failure } = confirmation
  if (!needsConfirmation && failure === null) return null
  const values = { date: formatDay(until), organization: organization?.title ?? '' }
  const amount = formatMoney(payment.amount, payment.currency)
  return (
    <Notice
      tone={needsConfirmation ? 'warn' : 'bad'}
      title={tCard(needsConfirmation ? 'pay.confirm_title' : 'pay.failed_title', { amount })}
    >
      {needsConfirmation ? (
        <p className="mt-0.5">{until === null ? tCard('pay.confirm_text') : tCard('pay.confirm_until', values)}</p>
      ) : null}
      {failure === null ? null : (
        <p role="alert" className="mt-2 font-medium text-bad">
          {failure}
        </p>
      )}
      {needsConfirmation ? (
        <Button
          size="md"
          variant="primary"
          className="mt-3"
          busy={confirmation.busy}
          onClick={() => void confirmation.confirm(secret)}
        >
          {tCard('pay.confirm')}
        </Button>
      ) : (
        <ButtonLink size="md" className="mt-3" to={{ hash: '#payment-methods' }}>
          {tCard('pay.methods')}
        </ButtonLink>
      )}
    </Notice>
  )
}
