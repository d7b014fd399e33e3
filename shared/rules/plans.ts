import type { LimitedResource } from './limited-resources.ts'

/** The six plans, cheapest first, with the limits and the price that they have in a new installation. */
const sixPlans = {
  Free: { site: 3, server: 1, plan_cost: 0 },
  Starter: { site: 10, server: 2, plan_cost: 12 },
  Growth: { site: 25, server: 8, plan_cost: 39 },
  Pro: { site: 75, server: 20, plan_cost: 89 },
  Agency: { site: 200, server: 60, plan_cost: 179 },
  Enterprise: { site: 0, server: 0, plan_cost: null },
} as const

/** One of the six plans. */
export type PlanName = keyof typeof sixPlans

/** Plans in ascending order (docs/contracts/screens.md, section 9). */
export const planNames = Object.keys(sixPlans) as readonly PlanName[]

/** A number for each limited resource. */
export type ByResource<Value = number> = Record<LimitedResource, Value>

/** Currencies of plan prices. */
export const planCurrencies = ['EUR', 'USD', 'GBP', 'CHF'] as const

/** A plan. A limit of 0 or -1 means no limit. */
export interface Plan {
  readonly name: PlanName
  readonly resource_limits: Readonly<ByResource>
  /** Per month; null: price on request. */
  readonly plan_cost: number | null
  readonly currency: (typeof planCurrencies)[number]
  /** Marketing texts. Plans differ only in their limits: every plan has every feature. */
  readonly features: readonly string[]
}

/** Plan of organizations that haven't chosen one or whose plan has ended. */
export const freePlan = 'Free' satisfies PlanName

/** The plans of a new installation. The stored plans, which the platform admin edits, are the ones that apply. */
export const defaultPlans: readonly Plan[] = planNames.map((name) => {
  const { plan_cost, ...resource_limits } = sixPlans[name]
  return { name, resource_limits, plan_cost, currency: 'EUR', features: [] }
})

/** Whether only the platform admin gives a plan, because it has no price. Free is what everybody can return to. */
export function isOnRequest({ name, plan_cost }: Pick<Plan, 'name' | 'plan_cost'>): boolean {
  return plan_cost === null && name !== freePlan
}

/** Parses a granted limit as stored by organizations; null if it isn't a number, so that the plan's limit applies. */
export function overrideOf(text: string | null): number | null {
  return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : null
}

/**
 * Limits of an organization: those of its plan, individually replaced by overrides from the platform admin (number as text).
 */
export function limitsOf(
  plan: Pick<Plan, 'resource_limits'>,
  overrides: Readonly<ByResource<string | null>>,
): ByResource {
  const effective = (resource: LimitedResource) => overrideOf(overrides[resource]) ?? plan.resource_limits[resource]
  return { site: effective('site'), server: effective('server') }
}

/** Whether a limit applies at all. */
export function isLimited(limit: number): boolean {
  return limit !== 0 && limit !== -1
}

/** Reached: usage equals the limit; exceeded: usage is above it. Both are false without a limit. */
export function limitState(usage: number, limit: number): { reached: boolean; exceeded: boolean } {
  return { reached: isLimited(limit) && usage === limit, exceeded: isLimited(limit) && usage > limit }
}

/** Whether one more is allowed. */
export function hasCapacity(usage: number, limit: number): boolean {
  return !isLimited(limit) || usage < limit
}

/** Number above the limit; 0 if within it. */
export function excess(usage: number, limit: number): number {
  return isLimited(limit) ? Math.max(0, usage - limit) : 0
}

/**
 * End of the monthly period that contains `now`, counted from `anchor` (both ms since epoch, UTC). A period that started on
 * the 31st ends on the last day of shorter months.
 */
export function periodEnd(anchor: number, now: number): number {
  const start = new Date(anchor)
  const passed = (at: number) => {
    const date = new Date(at)
    return (date.getUTCFullYear() - start.getUTCFullYear()) * 12 + date.getUTCMonth() - start.getUTCMonth()
  }
  let months = Math.max(0, passed(now))
  while (addMonths(start, months) <= now) months += 1
  return addMonths(start, months)
}

function addMonths(start: Date, months: number): number {
  const end = new Date(start)
  end.setUTCDate(1)
  end.setUTCMonth(start.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()
  end.setUTCDate(Math.min(start.getUTCDate(), lastDay))
  return end.getTime()
}
