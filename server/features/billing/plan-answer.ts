import type * as z from 'zod/mini'
import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { planChange } from '#shared/responses/billing.ts'
import { excess, freePlan, type ByResource, type PlanName } from '#shared/rules/plans.ts'
import { effectiveLimits, usageOf } from './limits.ts'
import { plansIn } from './plans.ts'

/** Result of the calls that change a plan. */
export type PlanChange = z.infer<typeof planChange>

/** What a change says besides what the plan is afterward. */
export type ChangeAnswer = Pick<PlanChange, 'changed' | 'message' | 'payment'>

/** Answers a change of the plan with what is stored now. */
export async function answerOf(tx: Tx, name: string, said: ChangeAnswer): Promise<PlanChange> {
  const organization = await tx.get(OrganizationDoctype, name)
  const row = await tx.get(SubscriptionDoctype, name)
  if (!organization || !row) throw new AppError('not_found', msg`Organization ${name} not found`)
  const coming = row.scheduled_plan ?? (row.cancelation_date === null ? organization.plan : freePlan)
  const exceeded = await excessUnder(tx, { ...organization, plan: coming })
  return {
    organization: name,
    plan_name: organization.plan ?? freePlan,
    changed: said.changed,
    is_canceled: row.cancelation_date !== null,
    cancelation_date: row.cancelation_date,
    is_scheduled: row.scheduled_plan !== null,
    scheduled_plan: row.scheduled_plan,
    scheduled_date: row.scheduled_date,
    exceeded,
    message: [said.message, tooMany(exceeded, coming ?? freePlan)].filter(Boolean).join(' '),
    payment: said.payment,
  }
}

/** How many sites and servers of an organization are more than its limits allow. */
export async function excessUnder(tx: Tx, organization: Parameters<typeof effectiveLimits>[1]): Promise<ByResource> {
  const limits = effectiveLimits(await plansIn(tx), organization)
  const usage = await usageOf(tx, organization.name)
  return { site: excess(usage.site, limits.site), server: excess(usage.server, limits.server) }
}

/** Explains a plan smaller than the current usage: everything is kept, but nothing new can be created. */
function tooMany(exceeded: ByResource, plan: PlanName): string {
  const parts = (['site', 'server'] as const)
    .filter((resource) => exceeded[resource] > 0)
    .map((resource) => `${exceeded[resource]} ${resource}${exceeded[resource] === 1 ? '' : 's'}`)
  if (parts.length === 0) return ''
  return `That is ${parts.join(' and ')} more than ${plan} has room for: everything stays, but no new ones can be created until there are fewer.`
}
