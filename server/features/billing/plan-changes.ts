import { controller, type Controller, type HookContext } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, systemClock, parseTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype, type Subscription } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { excess, freePlan, periodEnd, type ByResource, type PlanName } from '#shared/rules/plans.ts'
import { msg } from '#shared/localized-message.ts'
import type { BillingDeps } from './deps.ts'
import { effectiveLimits, usageOf } from './limits.ts'
import { hasPlans } from './platform-settings.ts'
import { plansIn } from './plans.ts'

/** Result of the calls that change a plan (`planChange` describes it for clients). */
export interface PlanChange {
  organization: string
  /** The current plan. */
  plan_name: PlanName
  /** Whether the call changed anything. */
  changed: boolean
  is_canceled: boolean
  cancelation_date: string | null
  is_scheduled: boolean
  scheduled_plan: PlanName | null
  scheduled_date: string | null
  /** How much usage exceeds the plan (the scheduled one, if any). Existing sites and servers are kept. */
  exceeded: ByResource
  message: string
}

type Pending = Pick<Subscription, 'scheduled_plan' | 'scheduled_date' | 'cancelation_date' | 'requested_by'>

const nothingPending: Pending = {
  scheduled_plan: null,
  scheduled_date: null,
  cancelation_date: null,
  requested_by: null,
}

/** Handlers of the subscription's actions. The store holds the row lock while they run. */
export function subscriptionController(deps: BillingDeps): Controller {
  const now = () => (deps.clock ?? systemClock).now()
  const endOfPeriod = (row: Subscription) =>
    formatTimestamp(periodEnd(parseTimestamp(row.period_anchor ?? row.creation), now()))
  return controller(SubscriptionDoctype, {
    actions: {
      async change_plan(row, args, context) {
        await assertMayChoose(context)
        const plan = args.plan as PlanName
        const current = (await organizationOf(context.tx, row)).plan ?? freePlan
        if (plan === current || args.when !== 'period_end') return changeNow(context, row, current, plan, now())
        const scheduled_date = endOfPeriod(row)
        const pending = { ...nothingPending, scheduled_plan: plan, scheduled_date, requested_by: context.session.user }
        return schedulePlan(context, row, pending, `The plan changes to ${plan} on ${day(scheduled_date)}.`)
      },

      async cancel_plan(row, _args, context) {
        await assertMayChoose(context)
        if ((await organizationOf(context.tx, row)).plan === freePlan)
          throw new AppError('invalid', msg`The ${freePlan} plan cannot be canceled.`, { field: 'plan' })
        const cancelation_date = row.cancelation_date ?? endOfPeriod(row)
        const pending = { ...nothingPending, cancelation_date, requested_by: context.session.user }
        return schedulePlan(context, row, pending, `The plan is canceled. You keep it until ${day(cancelation_date)}.`)
      },

      async reactivate_plan(row, _args, context) {
        await assertMayChoose(context)
        if (row.cancelation_date === null)
          throw new AppError('invalid', msg`The plan is not canceled, so there is nothing to reactivate.`, {
            field: 'plan',
          })
        return schedulePlan(context, row, nothingPending, 'The plan continues.')
      },
    },
  })
}

/** While plans are off there is nothing to choose. Platform admins can assign plans, even before turning plans on. */
async function assertMayChoose({ session, tx }: HookContext): Promise<void> {
  if (!session.platformAdmin && !(await hasPlans(tx)))
    throw new AppError('unsupported', msg`This installation has no plans. Nothing is limited.`)
}

async function organizationOf(tx: Tx, row: Subscription): Promise<Organization> {
  const organization = await tx.get(OrganizationDoctype, row.organization, { lock: true })
  if (!organization) throw new AppError('not_found', msg`Organization ${row.organization} not found`)
  return organization
}

/** Changes the plan at once; choosing the current one cancels scheduled changes. */
async function changeNow(
  { tx }: HookContext,
  row: Subscription,
  current: PlanName,
  plan: PlanName,
  now: number,
): Promise<Record<string, unknown>> {
  const isOther = plan !== current
  const hadPending = row.scheduled_plan !== null || row.cancelation_date !== null
  if (isOther) await tx.update(OrganizationDoctype, row.organization, { plan })
  const values = { ...nothingPending, ...(isOther ? { period_anchor: formatTimestamp(now) } : {}) }
  // The new billing period that comes with a new plan needs no activity entry of its own.
  const stored = await tx.update(SubscriptionDoctype, row.name, values, { activity: hadPending })
  const message = isOther
    ? `The plan is ${plan} now.`
    : hadPending
      ? `The plan stays ${plan}.`
      : `The plan is ${plan} already.`
  return { ...(await planChange(tx, stored, isOther || hadPending, message)) }
}

async function schedulePlan(
  { tx }: HookContext,
  row: Subscription,
  pending: Pending,
  message: string,
): Promise<Record<string, unknown>> {
  const stored = await tx.update(SubscriptionDoctype, row.name, pending)
  return { ...(await planChange(tx, stored, stored.modified !== row.modified, message)) }
}

async function planChange(tx: Tx, row: Subscription, changed: boolean, message: string): Promise<PlanChange> {
  const organization = await organizationOf(tx, row)
  const coming = row.scheduled_plan ?? (row.cancelation_date === null ? organization.plan : freePlan)
  const limits = effectiveLimits(await plansIn(tx), { ...organization, plan: coming })
  const usage = await usageOf(tx, row.organization)
  const exceeded = { site: excess(usage.site, limits.site), server: excess(usage.server, limits.server) }
  return {
    organization: row.organization,
    plan_name: organization.plan ?? freePlan,
    changed,
    is_canceled: row.cancelation_date !== null,
    cancelation_date: row.cancelation_date,
    is_scheduled: row.scheduled_plan !== null,
    scheduled_plan: row.scheduled_plan,
    scheduled_date: row.scheduled_date,
    exceeded,
    message: [message, tooMany(exceeded, coming ?? freePlan)].filter(Boolean).join(' '),
  }
}

/** Explains a plan smaller than the current usage: everything is kept, but nothing new can be created. */
function tooMany(exceeded: ByResource, plan: PlanName): string {
  const parts = (['site', 'server'] as const)
    .filter((resource) => exceeded[resource] > 0)
    .map((resource) => `${exceeded[resource]} ${resource}${exceeded[resource] === 1 ? '' : 's'}`)
  if (parts.length === 0) return ''
  return `That is ${parts.join(' and ')} more than ${plan} has room for: everything stays, but no new ones can be created until there are fewer.`
}

const day = (moment: string) => moment.slice(0, 10)

/**
 * Applies plan changes that are due. Each runs in its own transaction and is checked again under the row lock, so that
 * running twice or in two processes changes a plan once.
 */
export async function applyDuePlans(deps: BillingDeps): Promise<void> {
  const now = formatTimestamp((deps.clock ?? systemClock).now())
  const session = systemSession('schedule')
  const due = await deps
    .documents()
    .transaction(session, async (tx) => [
      ...(await tx.list(SubscriptionDoctype, [['scheduled_date', '<=', now]])),
      ...(await tx.list(SubscriptionDoctype, [['cancelation_date', '<=', now]])),
    ])
  for (const { name } of due) {
    try {
      await deps.documents().transaction(session, (tx) => applyIfDue(tx, name, now))
    } catch (error) {
      deps.log.error('A plan could not be changed on its day', { organization: name, error })
    }
  }
}

async function applyIfDue(tx: Tx, name: string, now: string): Promise<void> {
  // Locks the organization first, like the actions do.
  await tx.get(OrganizationDoctype, name, { lock: true })
  const row = await tx.get(SubscriptionDoctype, name, { lock: true })
  const date = row?.scheduled_date ?? row?.cancelation_date ?? null
  if (!row || date === null || date > now) return
  const organization = await organizationOf(tx, row)
  const plan = row.scheduled_plan ?? freePlan
  await tx.update(OrganizationDoctype, organization.name, { plan }, { activity: false })
  await tx.update(SubscriptionDoctype, name, { ...nothingPending, period_anchor: date }, { activity: false })
  await tx.activity({
    action: row.cancelation_date === null ? 'subscription.scheduled_plan' : 'subscription.canceled',
    organization: organization.name,
    reference_doctype: 'Organization',
    reference_name: organization.name,
    reference_title: organization.title,
    before: { plan: organization.plan },
    after: { plan },
    on_behalf_of: row.requested_by,
  })
}
