import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { excess, isLimited, type ByResource, type PlanName } from '#shared/rules/plans.ts'
import type { LimitedResource } from '#shared/rules/limited-resources.ts'

/** Resources that plans limit, in display order. */
export const resources: readonly LimitedResource[] = ['site', 'server']

/** Change of a limit. `more` and `fewer` give the difference, `limited` the new limit. */
export type LimitChange =
  | { readonly kind: 'same' }
  | { readonly kind: 'more' | 'fewer' | 'limited'; readonly n: number }
  | { readonly kind: 'unlimited' }

/** Effect of another plan on an organization. */
export interface PlanEffect {
  readonly plan: PlanName
  /** Its position relative to the current plan. */
  readonly direction: 'up' | 'down' | 'same'
  readonly changes: ByResource<LimitChange>
  /** How much of the current usage exceeds the new limits. */
  readonly above: ByResource
}

/** The limits an organization would have on a plan, including granted overrides. */
export function limitsOn(status: SubscriptionStatus, plan: PlanName): ByResource {
  const own = status.plans.find(({ name }) => name === plan)?.resource_limits ?? status.limits
  return { site: status.overrides.site ?? own.site, server: status.overrides.server ?? own.server }
}

function changeOf(from: number, to: number): LimitChange {
  if (!isLimited(to)) return isLimited(from) ? { kind: 'unlimited' } : { kind: 'same' }
  if (!isLimited(from)) return { kind: 'limited', n: to }
  if (to === from) return { kind: 'same' }
  return to > from ? { kind: 'more', n: to - from } : { kind: 'fewer', n: from - to }
}

/** Computes the effect of changing to a plan. */
export function effectOf(status: SubscriptionStatus, plan: PlanName): PlanEffect {
  const rankOf = (name: PlanName) => status.plans.findIndex((offered) => offered.name === name)
  const steps = rankOf(plan) - rankOf(status.plan_name)
  const limits = limitsOn(status, plan)
  return {
    plan,
    direction: steps === 0 ? 'same' : steps > 0 ? 'up' : 'down',
    changes: {
      site: changeOf(status.limits.site, limits.site),
      server: changeOf(status.limits.server, limits.server),
    },
    above: { site: excess(status.usage.site, limits.site), server: excess(status.usage.server, limits.server) },
  }
}

/**
 * What the button of another plan is called. A plan that changes no limit here, because they were granted, is no upgrade, unless
 * plans are paid for: then the one is paid at once, and the other waits for the end of the period.
 */
export function changeLabel(
  { payment_provider }: Pick<SubscriptionStatus, 'payment_provider'>,
  { changes, direction }: PlanEffect,
): 'upgrade' | 'downgrade' | 'switch' {
  if (payment_provider === null && resources.every((resource) => changes[resource].kind === 'same')) return 'switch'
  return direction === 'up' ? 'upgrade' : 'downgrade'
}

/** Usage of a limit, and the first larger plan that allows one more. */
export interface ResourceUsage {
  readonly state: 'unlimited' | 'left' | 'reached' | 'over'
  /** Number left, or over the limit. */
  readonly n: number
  /** 0 to 1; 0 without a limit. */
  readonly fraction: number
  readonly next: { readonly plan: PlanName; readonly limit: number } | null
}

/** Usage of one resource against its limit. */
export function resourceUsage(status: SubscriptionStatus, resource: LimitedResource): ResourceUsage {
  const used = status.usage[resource]
  const limit = status.limits[resource]
  if (!isLimited(limit)) return { state: 'unlimited', n: 0, fraction: 0, next: null }
  const larger = status.plans.filter((plan) => effectOf(status, plan.name).direction === 'up')
  const fitting = larger.find((plan) => {
    const own = limitsOn(status, plan.name)[resource]
    return !isLimited(own) || (own > limit && own > used)
  })
  return {
    state: used > limit ? 'over' : used === limit ? 'reached' : 'left',
    n: Math.abs(limit - used),
    fraction: used / limit,
    next: fitting ? { plan: fitting.name, limit: limitsOn(status, fitting.name)[resource] } : null,
  }
}
