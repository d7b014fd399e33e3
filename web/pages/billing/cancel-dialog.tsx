import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { freePlan } from '#shared/rules/plans.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { effectOf } from './plan-change.ts'
import { t } from './messages.ts'
import { formatExcess } from './format-plan.ts'

/** Confirms canceling a plan, and shows what will exceed the limits of Free. */
export function CancelDialog({
  status,
  open,
  onOpenChange,
  endOfPeriod,
  onCancel,
}: {
  status: SubscriptionStatus
  open: boolean
  onOpenChange: (open: boolean) => void
  endOfPeriod: Date | null
  onCancel: () => Promise<void>
}) {
  const { organization } = useSession()
  const above = formatExcess(effectOf(status, freePlan).above)
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('cancel.title', { plan: status.plan_name })}
      confirmLabel={t('plans.cancel')}
      cancelLabel={t('cancel.keep')}
      onConfirm={onCancel}
    >
      <p>
        {t('cancel.text', {
          plan: status.plan_name,
          date: formatDay(endOfPeriod),
          organization: organization?.title ?? '',
        })}
      </p>
      <p className="mt-2">{above === '' ? t('cancel.fits') : t('cancel.above', { what: above })}</p>
    </AlertDialog>
  )
}
