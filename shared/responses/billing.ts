import type { ByResource, Plan, PlanName } from '../rules/plans.ts'

/** A plan to choose, as `get_subscription_status` lists it; a limit of 0 or -1 means none. */
export type OfferedPlan = Plan & { readonly plan_name: PlanName }

/** The plan of an organization, what it limits, what is in use and what will change, as `get_subscription_status` says. */
export interface SubscriptionStatus {
  readonly organization: string
  /** E-mail of the owner. */
  readonly user: string | null
  /** Whether organizations have plans with limits here; if not, the rest is that of an unlimited free tier. */
  readonly plans_enabled: boolean
  readonly plan_name: PlanName
  /** Per month; null: on request. */
  readonly plan_cost: number | null
  readonly currency: string
  readonly is_free_tier: boolean
  readonly is_canceled: boolean
  readonly cancelation_date: string | null
  readonly is_scheduled: boolean
  readonly scheduled_plan: PlanName | null
  readonly scheduled_date: string | null
  readonly features: readonly string[]
  readonly usage: ByResource
  /** Those that hold: the plan's, or what was granted. */
  readonly limits: ByResource
  /** Granted in place of the plan's; null = the plan's. */
  readonly overrides: ByResource<number | null>
  readonly is_site_limit_reached: boolean
  readonly is_site_limit_exceeded: boolean
  readonly is_server_limit_reached: boolean
  readonly is_server_limit_exceeded: boolean
  /** Cheapest first. */
  readonly plans: readonly OfferedPlan[]
  /** Whether plans are paid for here. */
  readonly payments: boolean
}

/** The caller's name and the billing profile of an organization, as `get_user_profile` gives them; '' for what is not set. */
export interface UserProfile {
  readonly user_info: { readonly first_name: string; readonly last_name: string }
  readonly billing_info: {
    readonly billing_name: string
    readonly primary_address: {
      readonly address_line1: string
      readonly address_line2: string
      readonly city: string
      readonly state: string
      readonly pincode: string
      /** Its English name. */
      readonly country: string
    }
  }
}
