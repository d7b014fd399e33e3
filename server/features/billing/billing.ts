import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Method } from '#server/contracts/method.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { LimitedOrganization } from '#shared/doctypes/organization.ts'
import type { Health } from '#shared/responses/health.ts'
import type { ByResource } from '#shared/rules/plans.ts'
import { inSystem, isPaid, type BillingDeps } from './deps.ts'
import { effectiveLimits, limitControllers, noLimits, overridesOf, usageByOrganization } from './limits.ts'
import { organizationController } from './organization-rows.ts'
import { applyDuePlans, subscriptionController } from './plan-changes.ts'
import { cardController } from './payments/cards.ts'
import { grantedPlanMethods } from './payments/granted-plans.ts'
import { cardMethods, invoiceMethod } from './payments/payment-methods.ts'
import { paidSchedules, paymentWork } from './payments/event-work.ts'
import { paymentFigures } from './payments/payment-figures.ts'
import { customerUrls } from './payments/customer.ts'
import { paymentTables } from './payments/payment-tables.ts'
import { webhookRoute } from './payments/webhook.ts'
import { hasPlans, seedPlatformSettings, settingsController } from './platform-settings.ts'
import { planMethods } from './plan-methods.ts'
import { plansIn, seedPlans } from './plans.ts'
import { seedSiteQuotas } from './site-quotas.ts'
import { profileController, profileMethods } from './profile.ts'
import { statusMethod } from './subscription-status.ts'

/** Limits and usage of an organization, as shown to platform admins. */
export interface OrganizationFigures {
  readonly limits: ByResource
  /** Limits granted instead of the plan's; null = the plan's. */
  readonly overrides: ByResource<number | null>
  readonly usage: ByResource
  /** Where the operator sees its customer at the payment provider; null if it has none. */
  readonly customer_url: string | null
}

/** What the billing feature provides to the composition root. */
export interface Billing extends Feature {
  readonly controllers: readonly Controller[]
  readonly methods: readonly Method[]
  readonly schedules: readonly ScheduledWork[]
  /** Stores missing settings, plans and quotas. */
  prepare(): Promise<void>
  /** What the platform admin sees of payments; null where nothing is paid for. */
  paymentFigures(): Promise<Health['payments']>
  /** Limits and usage of each organization, in the given order. */
  figuresOf(tx: Tx, organizations: readonly LimitedOrganization[]): Promise<OrganizationFigures[]>
}

/** Plans, their limits on every write path, plan changes, and billing profiles. */
export function createBilling(deps: BillingDeps): Billing {
  const work = paymentWork(deps)
  const { events, payers } = work
  return {
    tables: paymentTables,
    controllers: [
      organizationController(deps, payers.wake),
      subscriptionController(deps),
      profileController(deps, payers.wake),
      cardController(deps),
      settingsController(deps),
      ...limitControllers,
    ],
    methods: [
      statusMethod(deps),
      ...planMethods(),
      ...profileMethods(),
      ...cardMethods(),
      invoiceMethod(deps),
      ...grantedPlanMethods(deps),
    ],
    routes: [webhookRoute(deps, events.wake)],
    schedules: [
      { name: 'billing.due_plans', everySeconds: 60, atStart: true, run: () => applyDuePlans(deps) },
      ...(isPaid(deps) ? paidSchedules(deps, work) : []),
    ],
    async stop() {
      await Promise.all([events.stop(), payers.stop()])
    },

    async prepare() {
      await inSystem(deps, async (tx) => {
        await seedPlatformSettings(tx, isPaid(deps))
        await seedPlans(tx)
        await seedSiteQuotas(tx)
      })
    },

    paymentFigures: () => paymentFigures(deps),

    async figuresOf(tx, organizations) {
      const plans = (await hasPlans(tx)) ? await plansIn(tx) : null
      const names = organizations.map(({ name }) => name)
      const usage = await usageByOrganization(tx, names)
      const customers = isPaid(deps) ? await customerUrls(deps, tx, names) : null
      return organizations.map((organization) => ({
        limits: plans ? effectiveLimits(plans, organization) : noLimits,
        overrides: overridesOf(organization),
        usage: usage.get(organization.name) ?? { site: 0, server: 0 },
        customer_url: customers?.get(organization.name) ?? null,
      }))
    },
  }
}
