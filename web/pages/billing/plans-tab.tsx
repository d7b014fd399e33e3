import { useState } from 'react'
import type { PlanName } from '#shared/rules/plans.ts'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { PaymentNotice } from './cards/payment-notice.tsx'
import { usePaymentConfirmation } from './cards/use-payment-confirmation.ts'
import { PlanCards } from './plan-cards.tsx'
import { PlanPreview } from './plan-preview.tsx'
import { PlanSummary } from './plan-summary.tsx'
import { PlanTable } from './plan-table.tsx'
import type { useSubscription } from './subscription.ts'
import { t } from './messages.ts'
import { usePlanActions } from './use-plan-actions.ts'

/** The six plans, current usage, and the effect of a change. */
export function PlansTab({ subscription }: { subscription: ReturnType<typeof useSubscription> }) {
  const { status, error, reload, endOfPeriod } = subscription
  const [chosen, setChosen] = useState<PlanName | null>(null)
  const [canceling, setCanceling] = useState(false)
  const breakpoint = useBreakpoint()
  const actions = usePlanActions(status, reload)
  const confirmation = usePaymentConfirmation(status?.payment_provider ?? null, reload)
  if (error && !status) return <ErrorPanel title={t('plans.error_title')} error={error} onRetry={() => reload()} />
  if (!status)
    return (
      <div className="grid gap-4" aria-hidden="true">
        <Skeleton className="h-[122px] w-full rounded-card max-md:h-[300px]" />
        <Skeleton className="h-[206px] w-full rounded-card max-md:h-[900px] md:max-xl:h-[350px]" />
      </div>
    )
  const shown = chosen === status.plan_name && !status.is_grant_ending ? null : chosen
  const choice = {
    status,
    chosen: shown,
    busy: actions.busy,
    onChoose: (plan: PlanName) => setChosen((before) => (before === plan ? null : plan)),
    onCancel: () => setCanceling(true),
    onReactivate: () => void actions.reactivate(),
    onKeep: () => void actions.undo(),
  }
  const preview = shown ? (
    <PlanPreview
      key={shown}
      status={status}
      plan={shown}
      endOfPeriod={endOfPeriod}
      busy={actions.busy !== null}
      sheet={breakpoint !== 'desktop'}
      onClose={() => setChosen(null)}
      onMove={async (when) => {
        const change = await actions.move(shown, when)
        if (!change) return
        // The user may have selected another plan in the meantime.
        setChosen((now) => (now === shown ? null : now))
        const { payment } = change
        if (payment?.state === 'authentication_needed' && payment.client_secret !== null)
          await confirmation.confirm(payment.client_secret)
      }}
    />
  ) : null
  return (
    <div className="grid gap-4">
      {status.payment ? <PaymentNotice payment={status.payment} confirmation={confirmation} /> : null}
      <PlanSummary status={status} />
      {breakpoint === 'desktop' ? <PlanTable {...choice} /> : <PlanCards {...choice} />}
      <div aria-live="polite">{preview}</div>
      <CancelDialog
        status={status}
        open={canceling}
        onOpenChange={setCanceling}
        endOfPeriod={endOfPeriod}
        onCancel={async () => {
          if (await actions.cancel()) setCanceling(false)
        }}
      />
    </div>
  )
}
