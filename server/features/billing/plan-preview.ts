import { ExternalCall, type HookContext } from '#server/contracts/controller.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { previewChange, previewRenewal } from '#server/providers/stripe/invoices.ts'
import { readPrices } from '#server/providers/stripe/prices.ts'
import { readSubscription } from '#server/providers/stripe/subscriptions.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import type { Subscription } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { PlanPreview } from '#shared/responses/billing.ts'
import { freePlan, periodEnd, type PlanName } from '#shared/rules/plans.ts'
import { isPaid, nowOf, type BillingDeps, type PaidDeps } from './deps.ts'
import { tellPayer } from './payments/customer.ts'
import { excessUnder } from './plan-answer.ts'
import { planNamed, plansIn } from './plans.ts'

/** What a change of plan would cost and lose. The provider counts the money. */
export async function previewPlan(
  deps: BillingDeps,
  row: Subscription,
  args: { plan: PlanName | null; when: 'now' | 'period_end' | null },
  { tx }: HookContext,
): Promise<ExternalCall> {
  const plan = args.plan ?? freePlan
  const organization = await tx.get(OrganizationDoctype, row.name)
  if (!organization) throw new AppError('not_found', msg`Organization ${row.name} not found`)
  const lost = await excessUnder(tx, { ...organization, plan })
  const { currency, plan_cost } = planNamed(await plansIn(tx), plan)
  const nothing = { due_now: 0, next_bill: null, credit: 0, currency } satisfies Partial<PlanPreview>
  return new ExternalCall(
    async () => ({
      ...(isPaid(deps) && plan !== freePlan && plan_cost !== 0 ? await costOf(deps, row, plan, args.when) : nothing),
      lost,
    }),
    null,
  )
}

async function costOf(
  deps: PaidDeps,
  { name, customer_id }: Subscription,
  plan: PlanName,
  when: 'now' | 'period_end' | null,
): Promise<Omit<PlanPreview, 'lost'>> {
  const { api, rateLimiter } = deps.payments
  await rateLimiter.hit('payment_read', name)
  // Taxes depend on it.
  await tellPayer(deps, name)
  const price = (await readPrices(api)).get(plan)
  if (!price) throw new AppError('unavailable', msg`${plan} has no price at the payment provider.`, { field: 'plan' })
  const found = customer_id === null ? null : await readSubscription(api, customer_id)
  const live = found?.isLive ? found : null
  const { amount, currency } = price
  const next = live ? live.periodEnd : periodEnd(nowOf(deps), nowOf(deps))
  const renewal =
    api.settings.automaticTax && live && customer_id !== null && live.cancelAt === null
      ? await previewRenewal(api, customer_id, live, price.id)
      : amount
  const next_bill = { date: formatTimestamp(next), amount: renewal }
  if (when === 'period_end' || live?.plan === plan) return { due_now: 0, next_bill, credit: 0, currency }
  if (customer_id === null) return { due_now: amount, next_bill, credit: 0, currency }
  const cost = await previewChange(api, customer_id, live, price.id)
  const first = live ? next_bill : { ...next_bill, amount: cost.total }
  return { due_now: cost.dueNow, next_bill: first, credit: cost.credit, currency: cost.currency }
}
