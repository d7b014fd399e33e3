import * as z from 'zod/mini'
import { planNames } from '../rules/plans.ts'
import { caller, described, personOrOmitted, timestamp } from '../schema.ts'

const limits = z.object({ site: z.int(), server: z.int() })
const planName = z.enum(planNames)

const offeredPlan = z.object({
  name: planName,
  plan_name: planName,
  resource_limits: described(limits, '0 and -1: no limit'),
  plan_cost: described(z.nullable(z.number()), 'For a month; null: on request'),
  currency: z.string(),
  features: z.readonly(z.array(z.string())),
})

/** Plan of an organization with limits, usage and pending changes (`get_subscription_status`). */
export const subscriptionStatus = z.object({
  organization: z.string(),
  user: described(personOrOmitted, 'Email of the owner; null for API tokens without members:read'),
  plans_enabled: described(
    z.boolean(),
    'Whether organizations have plans with limits here; if not, the rest is that of an unlimited free tier',
  ),
  plan_name: planName,
  plan_cost: described(z.nullable(z.number()), 'For a month; null: on request'),
  currency: z.string(),
  is_free_tier: z.boolean(),
  is_canceled: z.boolean(),
  cancelation_date: z.nullable(timestamp),
  is_scheduled: z.boolean(),
  scheduled_plan: z.nullable(planName),
  scheduled_date: z.nullable(timestamp),
  features: z.readonly(z.array(z.string())),
  usage: limits,
  limits: described(limits, '0 and -1: no limit'),
  overrides: described(
    z.object({ site: z.nullable(z.int()), server: z.nullable(z.int()) }),
    "Granted by the platform admin in place of the plan's; null = the plan's",
  ),
  is_site_limit_reached: z.boolean(),
  is_site_limit_exceeded: z.boolean(),
  is_server_limit_reached: z.boolean(),
  is_server_limit_exceeded: z.boolean(),
  plans: described(z.readonly(z.array(offeredPlan)), 'Cheapest first'),
})

/** What `get_subscription_status` returns. */
export type SubscriptionStatus = z.infer<typeof subscriptionStatus>

/** A plan that can be selected; a limit of 0 or -1 means no limit. */
export type OfferedPlan = z.infer<typeof offeredPlan>

/** Countries with their English name and two-letter code in lower case (`get_countries_list`). */
export const countryList = z.array(z.object({ name: z.string(), code: z.string() }))

/** The caller's name and the billing profile of an organization (`get_user_profile`); '' for unset values. */
export const userProfile = z.object({
  user_info: z.object({ first_name: caller, last_name: caller }),
  billing_info: z.object({
    billing_name: z.string(),
    primary_address: z.object({
      address_line1: z.string(),
      address_line2: z.string(),
      city: z.string(),
      state: z.string(),
      pincode: z.string(),
      country: described(z.string(), 'Its English name'),
    }),
  }),
})

/** What `get_user_profile` returns. */
export type UserProfile = z.infer<typeof userProfile>

/** Response of the methods that change a plan. */
export const planChange = z.object({
  organization: z.string(),
  plan_name: planName,
  changed: z.boolean(),
  is_canceled: z.boolean(),
  cancelation_date: z.nullable(timestamp),
  is_scheduled: z.boolean(),
  scheduled_plan: z.nullable(planName),
  scheduled_date: z.nullable(timestamp),
  exceeded: z.object({ site: z.int(), server: z.int() }),
  message: z.string(),
})
