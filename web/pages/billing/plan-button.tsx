import type { OfferedPlan, SubscriptionStatus } from '#shared/responses/billing.ts'
import { freePlan, isOnRequest, type PlanName } from '#shared/rules/plans.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button, buttonStyle } from '#web/ui/button.tsx'
import { changeLabel, effectOf } from './plan-change.ts'
import { t } from './messages.ts'
import type { PlanActions } from './use-plan-actions.ts'

/** Props of the plan table and cards. */
export interface PlanChoice {
  readonly status: SubscriptionStatus
  /** The plan whose preview is open. */
  readonly chosen: PlanName | null
  readonly busy: PlanActions['busy']
  readonly onChoose: (plan: PlanName) => void
  readonly onCancel: () => void
  readonly onReactivate: () => void
  /** Cancels a scheduled change. */
  readonly onKeep: () => void
}

/** Button of a plan: preview it, or for the current plan cancel, keep or reactivate it. */
export function PlanButton({ plan, choice }: { plan: OfferedPlan; choice: PlanChoice }) {
  const { status, busy } = choice
  const { platformAdmin } = useSession()
  // What was given until a day is kept by paying for it, like any other plan.
  if (plan.name === status.plan_name && !status.is_grant_ending) {
    if (status.is_canceled)
      return (
        <Button variant="primary" size="md" block busy={busy === 'reactivate'} onClick={choice.onReactivate}>
          {t('plans.reactivate')}
        </Button>
      )
    if (status.is_scheduled)
      return (
        <Button variant="primary" size="md" block busy={busy === 'undo'} onClick={choice.onKeep}>
          {t('plans.keep', { plan: plan.name })}
        </Button>
      )
    if (plan.name === freePlan)
      return <p className="grid h-8 place-items-center text-table text-muted">{t('plans.yours')}</p>
    return (
      <Button size="md" block onClick={choice.onCancel}>
        {t('plans.cancel')}
      </Button>
    )
  }
  // The operator gives it, and where nothing is paid chooses it for their own organization as well.
  if (isOnRequest(plan) && (status.payment_provider !== null || !platformAdmin))
    return (
      <a href="/helpdesk" target="_blank" rel="noopener" className={buttonStyle({ size: 'md', block: true })}>
        {t('plans.contact')}
      </a>
    )
  return (
    <Button
      size="md"
      block
      aria-pressed={choice.chosen === plan.name}
      className="aria-pressed:bg-hover"
      onClick={() => choice.onChoose(plan.name)}
    >
      {plan.name === status.plan_name ? (
        t('plans.keep', { plan: plan.name })
      ) : (
        <>
          {t(`plans.${changeLabel(status, effectOf(status, plan.name))}`)}
          <span className="sr-only">{t('plans.to', { plan: plan.name })}</span>
        </>
      )}
    </Button>
  )
}
