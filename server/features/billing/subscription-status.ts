import { subscriptionStatus, type SubscriptionStatus } from '#shared/responses/billing.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { BillingProfileDoctype } from '#shared/doctypes/billing-profile.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype, type Subscription } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { canSeePeople } from '#shared/people.ts'
import { freePlan, limitState, type Plan } from '#shared/rules/plans.ts'
import { msg } from '#shared/localized-message.ts'
import { isPaid, type BillingDeps, type PaidDeps } from './deps.ts'
import { effectiveLimits, noLimits, overridesOf, usageOf } from './limits.ts'
import { graceEnd } from './payments/apply-subscription.ts'
import { hasPlans } from './platform-settings.ts'
import { scriptUrl } from '#server/providers/stripe/browser-script.ts'
import { planNamed, plansIn } from './plans.ts'

/** `get_subscription_status`: plan, limits, usage and scheduled changes of the chosen organization. */
export function statusMethod(deps: BillingDeps): Method {
  return defineMethod({
    name: 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status',
    access: 'verified',
    tokens: 'organization:read',
    verbs: ['GET', 'POST'],
    description:
      'Plan, limits and usage of the chosen organization (a platform admin can name another one), and the plans to choose from.',
    returns: subscriptionStatus,
    params: { organization: data({ length: 64 }) },
    async run(params, context) {
      const name = organizationOf(params, context)
      // Checks read permission.
      await context.documents.get(context.session, SubscriptionDoctype, name)
      const status = await context.documents.transaction(context.session, (tx) =>
        statusOf(deps, tx, name, context.session),
      )
      const { token } = context.session
      return token && !canSeePeople(token.scopes) ? { ...status, user: null } : status
    },
  })
}

/** The organization of a call: the named one, else the chosen one. */
export function organizationOf(params: Record<string, unknown>, { session }: Pick<MethodContext, 'session'>): string {
  const named = typeof params.organization === 'string' ? params.organization : ''
  const name = named || session.organization
  if (!name) throw new AppError('forbidden', msg`You are not a member of an organization yet.`)
  return name
}

/** Lets through who may read the billing profile of the organization: its owner, whatever else is sent. */
export async function admitOwner(context: MethodContext): Promise<void> {
  await context.documents.get(context.session, BillingProfileDoctype, organizationOf({}, context))
}

/** The plan of an organization that the caller may read; what is to be paid only for its owner. */
export async function statusOf(
  deps: BillingDeps,
  tx: Tx,
  name: string,
  session: Pick<Session, 'user' | 'kind'>,
): Promise<SubscriptionStatus> {
  const subscription = await tx.get(SubscriptionDoctype, name)
  const organization = await tx.get(OrganizationDoctype, name)
  if (!organization || !subscription) throw new AppError('not_found', msg`Organization ${name} not found`)
  const { cancelation_date, scheduled_plan, scheduled_date } = subscription
  const usage = await usageOf(tx, organization.name)
  const whose = { organization: organization.name, user: organization._owner }
  if (!(await hasPlans(tx))) return { ...whose, usage, ...withoutPlans }
  const plans = await plansIn(tx)
  const plan = planNamed(plans, organization.plan)
  const limits = effectiveLimits(plans, organization)
  const site = limitState(usage.site, limits.site)
  const server = limitState(usage.server, limits.server)
  return {
    ...whose,
    plans_enabled: true,
    plan_name: plan.name,
    plan_cost: plan.plan_cost,
    currency: plan.currency,
    is_free_tier: plan.name === freePlan,
    is_canceled: cancelation_date !== null,
    cancelation_date,
    is_grant_ending: isGrantEnding(deps, subscription),
    is_scheduled: scheduled_plan !== null,
    scheduled_plan,
    scheduled_date,
    features: plan.features,
    usage,
    limits,
    overrides: overridesOf(organization),
    is_site_limit_reached: site.reached,
    is_site_limit_exceeded: site.exceeded,
    is_server_limit_reached: server.reached,
    is_server_limit_exceeded: server.exceeded,
    plans: plans.map(shownPlan),
    ...(isPaid(deps) && session.kind === 'cookie' && session.user === organization._owner
      ? {
          payment_provider: browserSettings(deps),
          payment: await openPayment(tx, subscription),
          billed_price: billedPrice(subscription),
          billed_until: subscription.billed_until,
        }
      : notToBePaid),
  }
}

/** What the browser of an owner needs to hand over a card. */
function browserSettings({ payments }: PaidDeps): SubscriptionStatus['payment_provider'] {
  const { publishableKey, apiBase } = payments.api.settings
  return { name: 'stripe', publishable_key: publishableKey, script_url: scriptUrl(apiBase) }
}

/** Whether what was given ends on its date, unless it is paid for before. */
export const isGrantEnding = (
  deps: BillingDeps,
  row: Pick<Subscription, 'is_grant_ending' | 'cancelation_date'>,
): row is { is_grant_ending: 1; cancelation_date: string } =>
  isPaid(deps) && row.is_grant_ending === 1 && row.cancelation_date !== null

async function openPayment(tx: Tx, row: Subscription): Promise<SubscriptionStatus['payment']> {
  const { payment_state: state, payment_amount: amount, payment_currency: currency, unpaid_since } = row
  if (state === null || amount === null || currency === null) return null
  return {
    state,
    amount,
    currency,
    grace_until: unpaid_since === null ? null : graceEnd(unpaid_since),
    client_secret:
      state === 'authentication_needed' ? await tx.secret(SubscriptionDoctype, row.name, 'payment_secret') : null,
  }
}

function billedPrice({ price: amount, price_currency: currency }: Subscription): SubscriptionStatus['billed_price'] {
  return amount === null || currency === null ? null : { amount, currency }
}

const notToBePaid = { payment_provider: null, payment: null, billed_price: null, billed_until: null } as const

/** An unlimited free tier (operating contract): stored plans and granted limits apply only once plans are on. */
const withoutPlans = {
  plans_enabled: false,
  plan_name: freePlan,
  plan_cost: 0,
  currency: 'EUR',
  is_free_tier: true,
  is_canceled: false,
  cancelation_date: null,
  is_grant_ending: false,
  is_scheduled: false,
  scheduled_plan: null,
  scheduled_date: null,
  features: [],
  limits: noLimits,
  overrides: { site: null, server: null },
  is_site_limit_reached: false,
  is_site_limit_exceeded: false,
  is_server_limit_reached: false,
  is_server_limit_exceeded: false,
  plans: [],
  ...notToBePaid,
} as const satisfies Partial<SubscriptionStatus>

const shownPlan = ({ name, resource_limits, plan_cost, currency, features }: Plan) => ({
  name,
  plan_name: name,
  resource_limits,
  plan_cost,
  currency,
  features,
})
