import { useEffect } from 'react'
import type { Subscription } from '#shared/doctypes/subscription-organization.ts'
import { freePlan, periodEnd, type ByResource, type PlanName } from '#shared/rules/plans.ts'
import { ApiError } from '#web/lib/api-error.ts'
import { parseTime } from '#web/lib/format-day.ts'
import { useDoc, useMethod } from '#web/lib/frappe.tsx'
import { useSession } from '#web/lib/session.tsx'
import { useFailureToast } from '#web/lib/use-failure-toast.ts'
import { t } from './messages.ts'

/** A plan as `get_subscription_status` lists it; a limit of 0 or -1 means none. */
export interface OfferedPlan {
  readonly name: PlanName
  readonly resource_limits: ByResource
  /** Per month; null: on request. */
  readonly plan_cost: number | null
  readonly currency: string
  readonly features: readonly string[]
}

/** What `get_subscription_status` answers. */
export interface SubscriptionStatus {
  readonly organization: string
  readonly plan_name: PlanName
  readonly plan_cost: number | null
  readonly currency: string
  readonly is_free_tier: boolean
  readonly is_canceled: boolean
  readonly cancelation_date: string | null
  readonly is_scheduled: boolean
  readonly scheduled_plan: PlanName | null
  readonly scheduled_date: string | null
  readonly usage: ByResource
  /** Those that hold: the plan's, or what was granted. */
  readonly limits: ByResource
  /** Granted in place of the plan's; null = the plan's. */
  readonly overrides: ByResource<number | null>
  /** Cheapest first. */
  readonly plans: readonly OfferedPlan[]
  /** Whether plans are paid for here. */
  readonly payments: boolean
}

/** The plan that holds after what is pending; null when nothing is. */
export function comingPlan(status: SubscriptionStatus): { plan: PlanName; date: string } | null {
  if (status.is_canceled && status.cancelation_date) return { plan: freePlan, date: status.cancelation_date }
  if (status.is_scheduled && status.scheduled_plan && status.scheduled_date)
    return { plan: status.scheduled_plan, date: status.scheduled_date }
  return null
}

/** The end of the running period; the same rule as the server's. */
export function endOfPeriod(row: Pick<Subscription, 'period_anchor' | 'creation'>, now: number): Date | null {
  const anchor = parseTime(row.period_anchor ?? row.creation)
  return anchor && new Date(periodEnd(anchor.getTime(), now))
}

/**
 * The plan of the current organization, live: whenever its row changes, here and in the shell. Not read again on focus
 * (specification section 7).
 */
export function useSubscription() {
  const { organization, refreshSubscription } = useSession()
  const status = useMethod<SubscriptionStatus>(
    'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status',
    {},
    { revalidateOnFocus: false },
  )
  const row = useDoc<Subscription>('Subscription Organization', organization?.name)
  const error = status.error && new ApiError(t('plans.error'), status.error)
  useFailureToast(t('plans.error_title'), error)
  const modified = row.data?.modified
  const { reload } = status
  useEffect(() => {
    if (modified === undefined) return
    void reload()
    void refreshSubscription()
    // `reload` is made anew with each rendering; what matters is that the row changed.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [modified, refreshSubscription])
  return {
    status: status.data,
    error,
    reload: async () => {
      await Promise.all([reload(), refreshSubscription()])
    },
    endOfPeriod: row.data ? endOfPeriod(row.data, Date.now()) : null,
  }
}
