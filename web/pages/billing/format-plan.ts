import type { OfferedPlan } from '#shared/responses/billing.ts'
import type { ByResource } from '#shared/rules/plans.ts'
import { formatMoney } from '#web/lib/i18n/format.ts'
import { resources, type PlanEffect } from './plan-change.ts'
import { t } from './messages.ts'

function both(parts: readonly string[]): string {
  const [first = '', second] = parts
  return second === undefined ? first : t('preview.and', { first, second })
}

/** "15 sites and 6 servers"; '' if nothing exceeds the limits. */
export function formatExcess(above: ByResource): string {
  return both(
    resources
      .filter((resource) => above[resource] > 0)
      .map((resource) => t(`preview.above_${resource}`, { count: above[resource] })),
  )
}

/** The effect of a plan, in sentences. */
export function formatPlanEffect(effect: PlanEffect): string {
  const parts = resources.flatMap((resource) => {
    const change = effect.changes[resource]
    if (change.kind === 'same') return []
    if (change.kind === 'unlimited') return [t(`preview.unlimited_${resource}`)]
    return [t(`preview.${change.kind}_${resource}`, { count: change.n })]
  })
  const above = formatExcess(effect.above)
  return [
    parts.length === 0 ? t('preview.same') : t('preview.changes', { plan: effect.plan, what: both(parts) }),
    above === '' ? t('preview.nothing_lost') : t('preview.above', { what: above }),
  ].join(' ')
}

/** "€39", or "on request". */
export function formatPrice({ plan_cost, currency }: Pick<OfferedPlan, 'plan_cost' | 'currency'>): string {
  return plan_cost === null ? t('plans.on_request') : formatMoney(plan_cost, currency)
}
