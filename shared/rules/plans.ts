import type { planNames } from '../doctypes/organization.ts'

/** One of the six plans. */
export type PlanName = (typeof planNames)[number]

/** What plans limit. */
export type LimitedResource = 'site' | 'server'

/** Numbers of a plan. A limit of 0 or -1 means no limit. */
export interface Plan {
  readonly name: PlanName
  readonly resource_limits: Readonly<Record<LimitedResource, number>>
  /** Per month; null: on request. */
  readonly plan_cost: number | null
  readonly currency: 'EUR'
}

const plan = (name: PlanName, site: number, server: number, plan_cost: number | null): Plan => ({
  name,
  resource_limits: { site, server },
  plan_cost,
  currency: 'EUR',
})

/** The plans as an installation comes with them (operating contract), cheapest first. */
export const defaultPlans: readonly Plan[] = [
  plan('Free', 3, 1, 0),
  plan('Starter', 10, 2, 12),
  plan('Growth', 25, 8, 39),
  plan('Pro', 75, 20, 89),
  plan('Agency', 200, 60, 179),
  plan('Enterprise', 0, 0, null),
]

/** A plan by name; an unknown or missing name is the free one. */
export function planNamed(name: string | null): Plan {
  return defaultPlans.find((candidate) => candidate.name === name) ?? (defaultPlans[0] as Plan)
}

/** Limits of an organization: its plan's, single ones replaced by what the platform admin granted (text of a number). */
export function limitsOf(
  planName: string | null,
  overrides: Readonly<Record<LimitedResource, string | null>>,
): Record<LimitedResource, number> {
  const { resource_limits: limits } = planNamed(planName)
  const effective = (resource: LimitedResource): number => {
    const text = overrides[resource]
    return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : limits[resource]
  }
  return { site: effective('site'), server: effective('server') }
}

/** Whether a limit is a limit at all. */
export function isLimited(limit: number): boolean {
  return limit !== 0 && limit !== -1
}

/** Reached: usage equals the limit; exceeded: usage is above it. Both false without a limit. */
export function limitState(usage: number, limit: number): { reached: boolean; exceeded: boolean } {
  return { reached: isLimited(limit) && usage === limit, exceeded: isLimited(limit) && usage > limit }
}

/** Whether one more fits. */
export function hasRoom(usage: number, limit: number): boolean {
  return !isLimited(limit) || usage < limit
}
