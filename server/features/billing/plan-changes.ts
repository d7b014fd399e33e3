import {
  controller,
  ExternalCall,
  type ActionEntry,
  type ActionResult,
  type Controller,
  type HookContext,
} from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, parseTimestamp } from '#server/jobs/clock.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype, type Subscription } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { freePlan, isOnRequest, periodEnd, type Plan, type PlanName } from '#shared/rules/plans.ts'
import { msg } from '#shared/localized-message.ts'
import { inSystem, isPaid, nowOf, paidDeps, type BillingDeps, type PaidDeps } from './deps.ts'
import { recordPlan } from './payments/apply-subscription.ts'
import { addPaymentMethod, createSetupIntent } from './payments/cards.ts'
import { claimedChange } from './payments/claim-change.ts'
import {
  cancelPaidPlan,
  changePaidPlan,
  nothingToUndo,
  reactivatePaidPlan,
  undoPaidPlan,
  type PlanCall,
} from './payments/paid-changes.ts'
import { refresh } from './payments/refresh.ts'
import { answerOf } from './plan-answer.ts'
import { previewPlan } from './plan-preview.ts'
import { planNamed, plansIn } from './plans.ts'
import { hasPlans } from './platform-settings.ts'
import { isGrantEnding, statusOf } from './subscription-status.ts'

type Pending = Pick<
  Subscription,
  'scheduled_plan' | 'scheduled_date' | 'cancelation_date' | 'is_grant_ending' | 'requested_by'
>

const nothingPending: Pending = {
  scheduled_plan: null,
  scheduled_date: null,
  cancelation_date: null,
  is_grant_ending: 0,
  requested_by: null,
}

/** Handlers of the subscription's actions. The store holds the row lock while they run. */
export function subscriptionController(deps: BillingDeps): Controller {
  const endOfPeriod = (row: Subscription) =>
    formatTimestamp(periodEnd(parseTimestamp(row.period_anchor ?? row.creation), nowOf(deps)))
  return controller(SubscriptionDoctype, {
    actions: {
      async change_plan(row, args, context) {
        await assertMayChoose(context)
        const plan = args.plan as PlanName
        const organization = await organizationOf(context.tx, row)
        const current = organization.plan ?? freePlan
        const when = args.when === 'period_end' ? 'period_end' : 'now'
        if (isPaid(deps) && (await isPaidFor(context, row, organization, plan, args.grant === 1)))
          return paidChange(deps, context, row, { after: { plan, when } }, (call) => changePaidPlan(call, plan, when))
        // Who has a plan on request can keep it, which takes back what was scheduled.
        if (plan !== current && !context.session.platformAdmin) await assertOffered(context.tx, plan)
        if (plan === current || when === 'now') return changeNow(context, row, current, plan, nowOf(deps))
        assertNotEnding(deps, row)
        const scheduled_date = endOfPeriod(row)
        const pending = { ...nothingPending, scheduled_plan: plan, scheduled_date, requested_by: context.session.user }
        return schedulePlan(context, row, pending, `The plan changes to ${plan} on ${day(scheduled_date)}.`)
      },

      async cancel_plan(row, _args, context) {
        await assertMayChoose(context)
        if ((await organizationOf(context.tx, row)).plan === freePlan)
          throw new AppError('invalid', msg`The ${freePlan} plan cannot be canceled.`, { field: 'plan' })
        if (isPaid(deps) && row.subscription_id !== null)
          return paidChange(deps, context, row, {}, (call) => cancelPaidPlan(call))
        assertNotEnding(deps, row)
        const cancelation_date = row.cancelation_date ?? endOfPeriod(row)
        const pending = { ...nothingPending, cancelation_date, requested_by: context.session.user }
        return schedulePlan(context, row, pending, `The plan is canceled. You keep it until ${day(cancelation_date)}.`)
      },

      async reactivate_plan(row, _args, context) {
        await assertMayChoose(context)
        if (isPaid(deps) && row.subscription_id !== null) return paidChange(deps, context, row, {}, reactivatePaidPlan)
        if (row.cancelation_date === null)
          throw new AppError('invalid', msg`The plan is not canceled, so there is nothing to reactivate.`, {
            field: 'plan',
          })
        assertNotEnding(deps, row)
        return schedulePlan(context, row, nothingPending, 'The plan continues.')
      },

      async undo_plan(row, _args, context) {
        await assertMayChoose(context)
        if (isPaid(deps) && row.subscription_id !== null) return paidChange(deps, context, row, {}, undoPaidPlan)
        if (row.scheduled_plan === null) throw nothingToUndo()
        const { plan } = await organizationOf(context.tx, row)
        return schedulePlan(context, row, nothingPending, `The plan stays ${plan ?? freePlan}.`)
      },

      preview_plan: (row, args, context) => previewPlan(deps, row, args, context),

      async refresh(row, _args, { session }) {
        return new ExternalCall(async () => {
          if (isPaid(deps)) {
            await deps.payments.rateLimiter.hit('payment_read', row.name)
            await refresh(deps, row.name, 'provider')
          }
          return await deps
            .documents()
            .transaction(session, async (tx) => ({ ...(await statusOf(deps, tx, row.name, session)) }))
        }, null)
      },

      async create_setup_intent(row) {
        const paid = paidDeps(deps)
        return new ExternalCall(() => createSetupIntent(paid, row.name), null)
      },

      async add_payment_method(row, args) {
        const paid = paidDeps(deps)
        return new ExternalCall(() => addPaymentMethod(paid, row.name, args.setup_intent))
      },
    },
  })
}

/**
 * Whether the provider decides about a change: it does for owners, unless the plan costs nothing or they leave one that a
 * platform admin gave them and that they never paid for.
 */
async function isPaidFor(
  { session, tx }: HookContext,
  row: Subscription,
  organization: Organization,
  plan: PlanName,
  isGrant: boolean,
): Promise<boolean> {
  if (session.platformAdmin && (isGrant || organization._owner !== session.user)) {
    if (row.subscription_id === null) return false
    throw new AppError('invalid', msg`${organization.title} pays for ${organization.plan ?? freePlan}.`, {
      field: 'plan',
      nextAction: msg`Its owner cancels that first; then you can give it another plan.`,
    })
  }
  const { plan_cost } = await assertOffered(tx, plan)
  if (plan === freePlan || plan_cost !== 0) return plan !== freePlan || row.subscription_id !== null
  if (row.subscription_id === null) return false
  throw new AppError('invalid', msg`${plan} costs nothing, and ${organization.plan ?? freePlan} is paid for.`, {
    field: 'plan',
    nextAction: msg`Cancel that first. When it has ended, you can choose ${plan}.`,
  })
}

/** Throws with the field `plan` if a plan is on request: platform admins give it, nobody chooses it. Returns the plan. */
async function assertOffered(tx: Tx, name: PlanName): Promise<Plan> {
  const plan = planNamed(await plansIn(tx), name)
  if (!isOnRequest(plan)) return plan
  throw new AppError('invalid', msg`${name} is on request.`, {
    field: 'plan',
    nextAction: msg`Ask the operator of this installation for it.`,
  })
}

function assertNotEnding(deps: BillingDeps, row: Subscription): void {
  if (!isGrantEnding(deps, row)) return
  throw new AppError('conflict', msg`This plan is given for nothing until ${day(row.cancelation_date)}.`, {
    field: 'plan',
    nextAction: msg`To keep a plan, add a card and choose it.`,
  })
}

/** A change that the provider makes first. */
function paidChange(
  deps: PaidDeps,
  { tx, session }: HookContext,
  row: Subscription,
  entry: ActionEntry,
  make: (call: PlanCall) => Promise<ActionResult>,
): Promise<ExternalCall> {
  const requested = { deps, organization: row.name, user: session.user }
  return claimedChange(deps, tx, row, entry, (mark) => make({ ...requested, mark }))
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
  return { ...(await answerOf(tx, stored.name, { changed: isOther || hadPending, message, payment: null })) }
}

async function schedulePlan(
  { tx }: HookContext,
  row: Subscription,
  pending: Pending,
  message: string,
): Promise<Record<string, unknown>> {
  const stored = await tx.update(SubscriptionDoctype, row.name, pending)
  return { ...(await answerOf(tx, stored.name, { changed: stored.modified !== row.modified, message, payment: null })) }
}

const day = (moment: string) => moment.slice(0, 10)

/** What is paid for changes when the provider says so. */
const ours = ['subscription_id', 'is', 'not set'] as const

/**
 * Applies plan changes that are due. Each runs in its own transaction and is checked again under the row lock, so that
 * running twice or in two processes changes a plan once.
 */
export async function applyDuePlans(deps: BillingDeps): Promise<void> {
  const now = formatTimestamp(nowOf(deps))
  const due = await inSystem(deps, async (tx) => [
    ...(await tx.list(SubscriptionDoctype, [['scheduled_date', '<=', now], ours])),
    ...(await tx.list(SubscriptionDoctype, [['cancelation_date', '<=', now], ours])),
  ])
  for (const { name } of due) {
    try {
      await inSystem(deps, (tx) => applyIfDue(tx, name, now))
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
  if (!row || row.subscription_id !== null || date === null || date > now) return
  const organization = await organizationOf(tx, row)
  const plan = row.scheduled_plan ?? freePlan
  await tx.update(OrganizationDoctype, organization.name, { plan }, { activity: false })
  await tx.update(SubscriptionDoctype, name, { ...nothingPending, period_anchor: date }, { activity: false })
  const action = row.cancelation_date === null ? 'subscription.scheduled_plan' : 'subscription.canceled'
  await recordPlan(tx, organization, row, { action, plan })
}
