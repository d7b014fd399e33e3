import type { Method, MethodContext } from '#server/documents/types.ts'
import { AppError } from '#shared/errors.ts'
import { defaultPlans, limitState, planNamed } from '#shared/rules/plans.ts'
import type { OrganizationsDeps } from './deps.ts'
import { effectiveLimits, usageOf } from './limits.ts'
import { currentOrganization } from './membership.ts'

/** `get_subscription_status`: the plan of the chosen organization, what it limits and what is in use. */
export function subscriptionMethods(deps: OrganizationsDeps): Method[] {
  return [
    {
      name: 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status',
      access: 'member',
      verbs: ['GET', 'POST'],
      description: 'Plan, limits and usage of the chosen organization, and the plans to choose from.',
      run: (_params, context) => status(deps, context),
    },
  ]
}

async function status({ config }: OrganizationsDeps, { documents, session }: MethodContext) {
  return documents.transaction(session, async (tx) => {
    const organization = await currentOrganization(tx, session)
    if (!organization) throw new AppError('not_found', 'No organization is chosen.')
    const plan = planNamed(organization.plan)
    const limits = effectiveLimits(organization)
    const usage = await usageOf(tx, organization.name)
    const site = limitState(usage.site, limits.site)
    const server = limitState(usage.server, limits.server)
    return {
      organization: organization.name,
      user: organization._owner,
      plan_name: plan.name,
      plan_cost: plan.plan_cost,
      currency: plan.currency,
      is_free_tier: plan.name === 'Free',
      is_canceled: false,
      cancelation_date: null,
      is_scheduled: false,
      scheduled_plan: null,
      scheduled_date: null,
      // Every feature is in every plan; plans differ in their limits only.
      features: [],
      usage,
      limits,
      is_site_limit_reached: site.reached,
      is_site_limit_exceeded: site.exceeded,
      is_server_limit_reached: server.reached,
      is_server_limit_exceeded: server.exceeded,
      plans: defaultPlans.map(({ name, resource_limits, plan_cost, currency }) => ({
        name,
        plan_name: name,
        resource_limits,
        plan_cost,
        currency,
      })),
      /** Without a payment provider every plan is free to choose. */
      payments: config.stripe.secretKey !== null,
    }
  })
}
