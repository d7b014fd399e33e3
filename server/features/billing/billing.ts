import * as z from 'zod/mini'
import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { LimitedOrganization } from '#shared/doctypes/organization.ts'
import { changeTimes } from '#shared/doctypes/subscription-organization.ts'
import { planChange } from '#shared/responses/billing.ts'
import { data } from '#shared/fields.ts'
import { planNames, type ByResource } from '#shared/rules/plans.ts'
import type { BillingDeps } from './deps.ts'
import { effectiveLimits, limitControllers, noLimits, overridesOf, usageByOrganization } from './limits.ts'
import { organizationController } from './organization-rows.ts'
import { applyDuePlans, subscriptionController } from './plan-changes.ts'
import { hasPlans, seedPlatformSettings } from './platform-settings.ts'
import { plansIn, seedPlans } from './plans.ts'
import { seedSiteQuotas } from './site-quotas.ts'
import { profileController, profileMethods } from './profile.ts'
import { organizationOf, statusMethod } from './subscription-status.ts'

/** Limits and usage of an organization, as shown to platform admins. */
export interface OrganizationFigures {
  readonly limits: ByResource
  /** Limits granted instead of the plan's; null = the plan's. */
  readonly overrides: ByResource<number | null>
  readonly usage: ByResource
}

/** What the billing feature provides to the composition root. */
export interface Billing extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
  readonly schedules: readonly ScheduledWork[]
  /** Stores missing settings, plans and quotas. */
  prepare(): Promise<void>
  /** Limits and usage of each organization, in the given order. */
  figuresOf(tx: Tx, organizations: readonly LimitedOrganization[]): Promise<OrganizationFigures[]>
}

/** Plans, their limits on every write path, plan changes, and billing profiles. */
export function createBilling(deps: BillingDeps): Billing {
  return {
    controllers: [organizationController, subscriptionController(deps), profileController, ...limitControllers],
    methods: [statusMethod(), ...planMethods(), ...profileMethods()],

    schedules: [{ name: 'billing.due_plans', everySeconds: 60, atStart: true, run: () => applyDuePlans(deps) }],

    async prepare() {
      await deps.documents().transaction(systemSession('schedule'), async (tx) => {
        await seedPlatformSettings(tx)
        await seedPlans(tx)
        await seedSiteQuotas(tx)
      })
    },

    async figuresOf(tx, organizations) {
      const plans = (await hasPlans(tx)) ? await plansIn(tx) : null
      const names = organizations.map(({ name }) => name)
      const usage = await usageByOrganization(tx, names)
      return organizations.map((organization) => ({
        limits: plans ? effectiveLimits(plans, organization) : noLimits,
        overrides: overridesOf(organization),
        usage: usage.get(organization.name) ?? { site: 0, server: 0 },
      }))
    },
  }
}

/** The subscription's actions as methods for the chosen organization. Permissions are declared with the actions. */
function planMethods(): Method[] {
  const act = (action: string) => async (params: object, context: MethodContext) =>
    z.parse(
      planChange,
      await context.documents.runAction(
        context.session,
        'Subscription Organization',
        organizationOf({}, context),
        action,
        { ...params },
      ),
    )
  return [
    defineMethod({
      name: 'easydash.api.billing.change_plan',
      access: 'verified',
      verbs: ['POST'],
      description:
        'Changes the plan of the chosen organization, at once or at the end of the period. A smaller plan than what is in use is allowed: everything stays, `exceeded` says how many are too many, and nothing new can be created. For the owner.',
      // The action checks them, once it has refused everybody but the owner.
      params: {
        plan: data({ description: `Required: ${planNames.join(', ')}.` }),
        when: data({ description: `${changeTimes.join(' or ')}. Default: now.` }),
      },
      returns: planChange,
      run: act('change_plan'),
    }),
    defineMethod({
      name: 'easydash.api.billing.cancel_plan',
      access: 'verified',
      verbs: ['POST'],
      description:
        'Cancels the plan: it holds until `cancelation_date`, then the organization is on Free. For the owner.',
      returns: planChange,
      run: act('cancel_plan'),
    }),
    defineMethod({
      name: 'easydash.api.billing.reactivate_plan',
      access: 'verified',
      verbs: ['POST'],
      description: 'Reverts a cancellation. Only for the owner.',
      returns: planChange,
      run: act('reactivate_plan'),
    }),
  ]
}
