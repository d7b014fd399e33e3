import { useEffect, useRef } from 'react'
import { subscriptionStatus, type SubscriptionStatus } from '#shared/responses/billing.ts'
import type { Subscription } from '#shared/doctypes/subscription-organization.ts'
import { freePlan, periodEnd, type PlanName } from '#shared/rules/plans.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { useDoc, useMethod } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import { t } from './messages.ts'

/** The plan after the pending change; null if there is none. */
export function comingPlan(status: SubscriptionStatus): { plan: PlanName; date: string } | null {
  if (status.is_canceled && status.cancelation_date) return { plan: freePlan, date: status.cancelation_date }
  if (status.is_scheduled && status.scheduled_plan && status.scheduled_date)
    return { plan: status.scheduled_plan, date: status.scheduled_date }
  return null
}

/** End of the current period, by the same rule as on the server. */
export function endOfPeriod(row: Pick<Subscription, 'period_anchor' | 'creation'>, now: number): Date | null {
  const anchor = parseTime(row.period_anchor ?? row.creation)
  return anchor && new Date(periodEnd(anchor.getTime(), now))
}

/**
 * The current organization's plan, live: updates when its row changes, here and in the shell. Not refetched on focus
 * (docs/contracts/screens.md, section 7).
 */
export function useSubscription() {
  const { organization, refreshSubscription } = useSession()
  const status = useMethod(
    'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status',
    {},
    { revalidateOnFocus: false, returns: subscriptionStatus },
  )
  const row = useDoc('Subscription Organization', organization?.name)
  const error = status.error && new ApiError(t('plans.error'), status.error)
  useFailureToast(t('plans.error_title'), error)
  const modified = row.data?.modified
  const { reload } = status
  const before = useRef<string | undefined>(undefined)
  useEffect(() => {
    // The first value was loaded together with the status.
    const first = before.current === undefined
    before.current = modified
    if (first || modified === undefined) return
    void reload()
    void refreshSubscription()
    // `reload` is a new function on each render; only a change of the row matters.
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
