import { subscriptionStatus, type SubscriptionStatus } from '#shared/responses/billing.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { ReadDoc } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { canSeePeople } from '#shared/people.ts'
import { freePlan, limitState, type Plan } from '#shared/rules/plans.ts'
import { msg } from '#shared/localized-message.ts'
import { effectiveLimits, noLimits, overridesOf, usageOf } from './limits.ts'
import { hasPlans } from './platform-settings.ts'
import { planNamed, plansIn } from './plans.ts'

/** `get_subscription_status`: plan, limits, usage and scheduled changes of the chosen organization. */
export function statusMethod(): Method {
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
      const subscription = await context.documents.get(context.session, SubscriptionDoctype, name)
      const status = await context.documents.transaction(context.session, (tx) => statusOf(tx, subscription))
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

async function statusOf(tx: Tx, subscription: ReadDoc<typeof SubscriptionDoctype>): Promise<SubscriptionStatus> {
  const { cancelation_date = null, scheduled_plan = null, scheduled_date = null } = subscription
  // It has the organization's name.
  const organization = await tx.get(OrganizationDoctype, subscription.name)
  if (!organization) throw new AppError('not_found', msg`Organization ${subscription.name} not found`)
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
  }
}

/** An unlimited free tier (operating contract): stored plans and granted limits apply only once plans are on. */
const withoutPlans = {
  plans_enabled: false,
  plan_name: freePlan,
  plan_cost: 0,
  currency: 'EUR',
  is_free_tier: true,
  is_canceled: false,
  cancelation_date: null,
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
} as const satisfies Partial<SubscriptionStatus>

const shownPlan = ({ name, resource_limits, plan_cost, currency, features }: Plan) => ({
  name,
  plan_name: name,
  resource_limits,
  plan_cost,
  currency,
  features,
})
