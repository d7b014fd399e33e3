import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { excess, isLimited, type ByResource, type LimitedResource, type PlanName } from '#shared/rules/plans.ts'

/** What plans limit, in the order it is shown. */
export const resources: readonly LimitedResource[] = ['site', 'server']

/** How one limit changes. `more` and `fewer` say by how much, `limited` says to what. */
export type LimitChange =
  | { readonly kind: 'same' }
  | { readonly kind: 'more' | 'fewer' | 'limited'; readonly n: number }
  | { readonly kind: 'unlimited' }

/** What another plan means for an organization. */
export interface PlanEffect {
  readonly plan: PlanName
  /** Its place among the plans beside that of the present one. */
  readonly direction: 'up' | 'down' | 'same'
  readonly changes: ByResource<LimitChange>
  /** How many of what is in use are above the new limits. */
  readonly above: ByResource
}

/** The limits an organization would have on a plan: what was granted stays. */
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

/** What moving to a plan changes. */
export function effectOf(status: SubscriptionStatus, plan: PlanName): PlanEffect {
  const place = (name: PlanName) => status.plans.findIndex((offered) => offered.name === name)
  const steps = place(plan) - place(status.plan_name)
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

/** How full a limit is, and the first larger plan that has room for one more. */
export interface UsageFact {
  readonly state: 'unlimited' | 'left' | 'reached' | 'over'
  /** Left, or over the limit. */
  readonly n: number
  /** 0 to 1; 0 without a limit. */
  readonly fraction: number
  readonly next: { readonly plan: PlanName; readonly limit: number } | null
}

/** The use of one resource against its limit. */
export function usageFact(status: SubscriptionStatus, resource: LimitedResource): UsageFact {
  const used = status.usage[resource]
  const limit = status.limits[resource]
  if (!isLimited(limit)) return { state: 'unlimited', n: 0, fraction: 0, next: null }
  const larger = status.plans.filter((plan) => effectOf(status, plan.name).direction === 'up')
  const roomy = larger.find((plan) => {
    const own = limitsOn(status, plan.name)[resource]
    return !isLimited(own) || (own > limit && own > used)
  })
  return {
    state: used > limit ? 'over' : used === limit ? 'reached' : 'left',
    n: Math.abs(limit - used),
    fraction: used / limit,
    next: roomy ? { plan: roomy.name, limit: limitsOn(status, roomy.name)[resource] } : null,
  }
}
