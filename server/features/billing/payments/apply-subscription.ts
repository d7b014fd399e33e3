import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, parseTimestamp } from '#server/jobs/clock.ts'
import type { ProviderSubscription } from '#server/providers/stripe/subscriptions.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype, type Subscription } from '#shared/doctypes/subscription-organization.ts'
import { freePlan, type PlanName } from '#shared/rules/plans.ts'
import { sameValue } from '#shared/same-value.ts'
import { nowOf, type PaidDeps } from '../deps.ts'
import { lockedSubscription } from './customer.ts'
import { mailAboutPayment } from './payment-mails.ts'

/** How long a plan whose renewal is unpaid is kept. */
export const graceMs = 7 * 86_400_000

/** When the plan of an organization with an unpaid renewal becomes Free. */
export const graceEnd = (unpaidSince: string): string => formatTimestamp(parseTimestamp(unpaidSince) + graceMs)

/** Who found out: an action is recorded by itself. */
export type FoundBy = 'action' | 'provider'

/**
 * Makes our state of an organization's plan what the provider says; the one place where that happens. `order`: when it was
 * read; what was read earlier than what is stored changes nothing. Returns whether it was applied.
 */
export async function applySubscription(
  deps: PaidDeps,
  tx: Tx,
  name: string,
  { order, subscription }: { order: number; subscription: ProviderSubscription | null },
  foundBy: FoundBy,
): Promise<boolean> {
  const row = await lockedSubscription(tx, name)
  const organization = await tx.get(OrganizationDoctype, name)
  if (!organization || (row.reading ?? 0) >= order) return false
  await tx.updateColumns(SubscriptionDoctype, name, { reading: order })
  const live = subscription?.isLive ? subscription : null
  const plan = planAfter(organization, row, live)
  const now = formatTimestamp(nowOf(deps))
  const values = {
    subscription_id: live?.id ?? null,
    period_anchor: live ? formatTimestamp(live.periodStart) : row.period_anchor,
    price: live?.price ?? null,
    price_currency: live?.currency ?? null,
    billed_until: live ? formatTimestamp(live.periodEnd) : null,
    ...pendingChange(row, live, plan),
    payment_state: subscription?.payment?.state ?? null,
    payment_amount: subscription?.payment?.amount ?? null,
    payment_currency: subscription?.payment?.currency ?? null,
    unpaid_since: live?.isUnpaid ? (row.unpaid_since ?? now) : null,
    reminders: live?.isUnpaid ? Math.max(1, row.reminders ?? 0) : 0,
  } satisfies Partial<Subscription>
  const secret = subscription?.payment?.clientSecret ?? null
  const known = await tx.secret(SubscriptionDoctype, name, 'payment_secret')
  const changed = Object.entries(values).some(([field, value]) => !sameValue(value, row[field as keyof Subscription]))
  if (changed || secret !== known)
    await tx.update(
      SubscriptionDoctype,
      name,
      { ...values, ...(secret !== known && { payment_secret: secret }) },
      { activity: false },
    )
  // A change that is under way is recorded by itself.
  const isOwn = foundBy === 'action' || (row.change_until !== null && row.change_until > now)
  if (plan !== organization.plan) await changePlan(tx, organization, row, plan, isOwn)
  if (live?.isUnpaid && row.unpaid_since === null)
    await mailAboutPayment(deps, tx, organization, { kind: 'failed', plan, until: graceEnd(now) })
  if (!live && row.unpaid_since !== null)
    await mailAboutPayment(deps, tx, organization, { kind: 'ended', plan: organization.plan ?? freePlan })
  return true
}

/** What is paid for is what is to be had. A plan that nobody ever paid for was given by a platform admin and stays. */
function planAfter(
  { plan }: Pick<Organization, 'plan'>,
  { subscription_id }: Pick<Subscription, 'subscription_id'>,
  live: ProviderSubscription | null,
): PlanName {
  const present = plan ?? freePlan
  if (live) return live.plan ?? present
  return subscription_id === null ? present : freePlan
}

/** What is going to change. Of a plan that nobody pays for, it is ours to know. */
function pendingChange(row: Subscription, live: ProviderSubscription | null, plan: PlanName): Partial<Subscription> {
  if (!live && row.subscription_id === null) return {}
  const scheduled = live?.scheduled?.plan === plan ? null : live?.scheduled
  const cancelAt = live?.cancelAt ?? null
  return {
    is_grant_ending: 0,
    cancelation_date: cancelAt === null ? null : formatTimestamp(cancelAt),
    scheduled_plan: scheduled?.plan ?? null,
    scheduled_date: scheduled ? formatTimestamp(scheduled.date) : null,
    requested_by: cancelAt === null && !scheduled ? null : row.requested_by,
  }
}

async function changePlan(
  tx: Tx,
  organization: Organization,
  row: Subscription,
  plan: PlanName,
  isOwn: boolean,
): Promise<void> {
  await tx.update(OrganizationDoctype, organization.name, { plan }, { activity: false })
  if (!isOwn) await recordPlan(tx, organization, row, { action: reasonOf(row, plan), plan })
}

/** Records a change of the plan that came by itself. `organization` and `row` as they were before. */
export async function recordPlan(
  tx: Tx,
  organization: Organization,
  row: Subscription,
  { action, plan }: { action: string; plan: PlanName },
): Promise<void> {
  await tx.activity({
    action,
    organization: organization.name,
    reference_doctype: 'Organization',
    reference_name: organization.name,
    reference_title: organization.title,
    before: { plan: organization.plan },
    after: { plan },
    on_behalf_of: row.requested_by,
  })
}

function reasonOf(row: Subscription, plan: PlanName): string {
  if (row.scheduled_plan === plan) return 'subscription.scheduled_plan'
  if (plan !== freePlan) return 'subscription.paid'
  return row.unpaid_since === null ? 'subscription.canceled' : 'subscription.unpaid'
}
