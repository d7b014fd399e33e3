import * as z from 'zod/mini'
import { paymentStates } from '../doctypes/subscription-organization.ts'
import { planNames } from '../rules/plans.ts'
import { caller, described, linkTo, personOrOmitted, timestamp } from '../schema.ts'

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

/** What the browser needs to ask for a card: it goes to the provider, never to this server. */
const paymentProvider = z.object({
  name: z.literal('stripe'),
  publishable_key: z.string(),
  script_url: described(z.string(), "The provider's script, to be loaded when a card is asked for"),
})

/** A payment that is not made yet. */
const openPayment = z.object({
  state: described(
    z.enum(paymentStates),
    'failed: the card was declined, another one can be tried; authentication_needed: the owner has to confirm it',
  ),
  amount: z.number(),
  currency: z.string(),
  grace_until: described(z.nullable(timestamp), 'When the plan becomes Free if it is still not paid'),
  client_secret: described(z.nullable(z.string()), "For the provider's script, to confirm it"),
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
  is_grant_ending: described(
    z.boolean(),
    'Whether the plan was given and ends on `cancelation_date`: it is not reactivated, but kept by choosing and paying for it',
  ),
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
  payment_provider: described(
    z.nullable(paymentProvider),
    'Null if plans are not paid here, and for everybody but the owner',
  ),
  payment: described(z.nullable(openPayment), 'Null if nothing is to be paid, and for everybody but the owner'),
  billed_price: described(
    z.nullable(z.object({ amount: z.number(), currency: z.string() })),
    'What is paid for a month, which can be an older price of the plan; null if nobody pays for it, and for everybody but the owner',
  ),
  billed_until: described(
    z.nullable(timestamp),
    'When the provider bills next; null if nobody pays for the plan, and for everybody but the owner',
  ),
})

/** What `get_subscription_status` returns. */
export type SubscriptionStatus = z.infer<typeof subscriptionStatus>

/** The payment provider as the browser needs it. */
export type PaymentProvider = z.infer<typeof paymentProvider>

/** A plan that can be selected; a limit of 0 or -1 means no limit. */
export type OfferedPlan = z.infer<typeof offeredPlan>

/** Countries with their English name and two-letter code in lower case (`get_countries_list`). */
export const countryList = z.array(z.object({ name: z.string(), code: z.string() }))

/** The caller's name and the billing profile of an organization (`get_user_profile`); '' for unset values. */
export const userProfile = z.object({
  user_info: z.object({ first_name: caller, last_name: caller }),
  billing_info: z.object({
    billing_name: z.string(),
    tax_id: z.string(),
    is_tax_id_refused: described(
      z.boolean(),
      'Whether the payment provider does not take the tax number, so that invoices go without it',
    ),
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

/** How the payment that a change of plan asked for ended. */
const changePayment = z.object({
  state: described(
    z.enum(['paid', 'authentication_needed', 'failed']),
    'authentication_needed: the owner confirms it with `client_secret`, then `billing.refresh` is called',
  ),
  amount: z.number(),
  currency: z.string(),
  client_secret: z.nullable(z.string()),
  message: described(z.nullable(z.string()), 'Why it failed, in words for the card holder'),
})

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
  payment: described(z.nullable(changePayment), 'Null if nothing was to be paid at once'),
})

/** What a change of plan would cost and lose (`billing.preview_plan`). */
export const planPreview = z.object({
  due_now: described(z.number(), 'Charged at once'),
  next_bill: z.nullable(z.object({ date: timestamp, amount: z.number() })),
  credit: described(z.number(), 'For the unused time of the current plan, counted in the other amounts'),
  currency: z.string(),
  lost: described(limits, 'How many are too many for the plan; nothing is deleted'),
})

/** What `billing.preview_plan` returns. */
export type PlanPreview = z.infer<typeof planPreview>

/** Lets the browser hand a card to the provider (`create_setup_intent`). */
export const setupIntentSecret = z.object({ client_secret: z.string() })

/** What `add_payment_method` returns. */
export const paymentMethodAdded = z.object({
  payment_method: linkTo('Payment Method', 'The card'),
})
