import type { ActionResult } from '#server/contracts/controller.ts'
import { readPrices, type PlanPrice } from '#server/providers/stripe/prices.ts'
import {
  dropPayment,
  endSubscription,
  payInvoice,
  readSubscription,
  releaseSchedule,
  scheduleChange,
  setCanceled,
  startSubscription,
  upgrade,
  type ProviderSubscription,
} from '#server/providers/stripe/subscriptions.ts'
import { PaymentMethodDoctype } from '#shared/doctypes/payment-method.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { freePlan, planNames, type PlanName } from '#shared/rules/plans.ts'
import { inSystem, type PaidDeps } from '../deps.ts'
import { answerOf, type ChangeAnswer } from '../plan-answer.ts'
import { customerOf, lockedSubscription, tellPayer } from './customer.ts'
import { refresh, type Reading } from './refresh.ts'

/** A change of an organization's plan that is under way. */
export interface PlanCall {
  readonly deps: PaidDeps
  readonly organization: string
  /** Who asked for it. */
  readonly user: string
  /** See `claimedChange`. */
  readonly mark: string
}

/** Changes the plan at the provider: a larger one at once, for money; any other at the end of the period. */
export async function changePaidPlan(
  call: PlanCall,
  plan: PlanName,
  when: 'now' | 'period_end',
): Promise<ActionResult> {
  const { deps, organization } = call
  const customer = await customerOf(deps, organization)
  const present = await readSubscription(deps.payments.api, customer)
  const live = present?.isLive ? present : null
  if (live?.plan === plan) return keepPlan(call, live)
  if (plan === freePlan) return live ? cancelPaidPlan(call, when) : ended(call, `The plan is ${freePlan} already.`)
  const price = await priceOf(call, plan)
  if (when === 'now') {
    if (live && isSmaller(plan, live.plan)) throw notYet(live)
    return payNow(call, { customer, present, price })
  }
  if (!live)
    throw new AppError('invalid', msg`Nothing is paid for yet, so there is no period to wait for.`, {
      field: 'when',
      nextAction: msg`Choose the plan with immediate effect.`,
    })
  await withoutPending(call, live, { cancelation: true })
  await scheduleChange(deps.payments.api, call, live.id, price.id)
  return ended(call, `The plan changes to ${plan} at the end of the period.`)
}

const isSmaller = (plan: PlanName, present: PlanName | null) =>
  present !== null && planNames.indexOf(plan) < planNames.indexOf(present)

const notYet = ({ plan }: ProviderSubscription) =>
  new AppError('invalid', msg`${plan ?? ''} is paid until the end of the period.`, {
    field: 'when',
    nextAction: msg`Choose the smaller plan for the end of the period.`,
  })

/** Choosing the present plan takes back what is pending. */
async function keepPlan(call: PlanCall, live: ProviderSubscription): Promise<ActionResult> {
  const isPending = live.schedule !== null || live.cancelAt !== null || live.pendingPlan !== null
  await withoutPending(call, live, { cancelation: true })
  if (live.pendingPlan !== null) await dropPayment(call.deps.payments.api, live)
  return ended(call, `The plan ${isPending ? 'stays' : 'is'} ${live.plan}${isPending ? '' : ' already'}.`, isPending)
}

/** The provider changes nothing else while a schedule is attached. */
async function withoutPending(
  call: PlanCall,
  { id, schedule, cancelAt }: ProviderSubscription,
  { cancelation }: { cancelation: boolean },
): Promise<void> {
  const { api } = call.deps.payments
  if (schedule !== null) await releaseSchedule(api, call, schedule)
  if (cancelation && cancelAt !== null) await setCanceled(api, call, id, false)
}

async function priceOf({ deps }: PlanCall, plan: PlanName): Promise<PlanPrice> {
  const price = (await readPrices(deps.payments.api)).get(plan)
  if (price) return price
  throw new AppError('unavailable', msg`${plan} has no price at the payment provider.`, {
    field: 'plan',
    nextAction: msg`The operator makes it with “npm run easydash -- billing sync”.`,
  })
}

/** Starts to pay, or pays the difference. What is not paid changes nothing and leaves nothing behind. */
async function payNow(
  call: PlanCall,
  { customer, present, price }: { customer: string; present: ProviderSubscription | null; price: PlanPrice },
): Promise<ActionResult> {
  const { deps, organization } = call
  const { api } = deps.payments
  const card = await defaultCard(call)
  if (present?.isUnpaid)
    throw new AppError('invalid', msg`The last bill is not paid.`, {
      field: 'payment_method',
      nextAction: msg`Add a card that works. It pays what is open, and then the plan can change.`,
    })
  await tellPayer(deps, organization)
  if (present?.isLive) {
    if (present.pendingPlan === price.plan && present.payment) await payInvoice(api, present.payment.invoice, card)
    else {
      if (present.pendingPlan !== null) await dropPayment(api, present)
      await withoutPending(call, present, { cancelation: false })
      await upgrade(api, call, present, price.id)
    }
  } else if (present?.plan === price.plan && present.payment) await payInvoice(api, present.payment.invoice, card)
  else {
    if (present) await endSubscription(api, present)
    await startSubscription(api, call, { customer, price: price.id, method: card, organization })
  }
  return settle(call, present, price.plan)
}

/** Reads what became of the payment, and clears away what was refused. */
async function settle(call: PlanCall, before: ProviderSubscription | null, plan: PlanName): Promise<ActionResult> {
  const { deps, organization } = call
  const { api } = deps.payments
  const now = await readSubscription(api, await customerOf(deps, organization))
  const isDone = now?.isLive === true && now.plan === plan
  if (isDone && now.cancelAt !== null) await setCanceled(api, call, now.id, false)
  const open = now?.payment ?? null
  const payment =
    isDone || open === null
      ? null
      : {
          state: open.state,
          amount: open.amount,
          currency: open.currency,
          client_secret: open.clientSecret,
          message: open.words,
        }
  if (!isDone && now && open?.state !== 'authentication_needed') await clearAway(call, now, before)
  const reading = await refresh(deps, organization, 'action')
  const text = isDone
    ? `The plan is ${plan} now.`
    : open?.state === 'authentication_needed'
      ? `${plan} starts when the payment is confirmed.`
      : 'The card was not charged, so the plan stays what it is.'
  return answer(call, { message: text, changed: isDone, payment: payment ?? paidBy(reading) })
}

async function clearAway(
  call: PlanCall,
  now: ProviderSubscription,
  before: ProviderSubscription | null,
): Promise<void> {
  const { api } = call.deps.payments
  if (!now.isLive) {
    await endSubscription(api, now)
    return
  }
  await dropPayment(api, now)
  const was = before?.scheduled
  if (!was) return
  // It was taken back to pay, and is wanted as long as that did not work.
  const price = await priceOf(call, was.plan)
  await scheduleChange(api, { mark: `${call.mark}-again` }, now.id, price.id)
}

/** The last invoice, which was paid. */
function paidBy(reading: Reading | null): ChangeAnswer['payment'] {
  const invoice = reading?.invoices.find(({ id }) => id === reading.subscription?.invoice)
  if (invoice?.status !== 'Paid') return null
  const { total: amount, currency } = invoice
  return { state: 'paid', amount, currency, client_secret: null, message: null }
}

/** The card that pays. */
async function defaultCard({ deps, organization }: PlanCall): Promise<string> {
  const card = await inSystem(deps, (tx) =>
    tx.find(PaymentMethodDoctype, [
      ['organization', '=', organization],
      ['is_default', '=', 1],
    ]),
  )
  if (card?.provider_id) return card.provider_id
  throw new AppError('invalid', msg`Add a payment method first.`, { field: 'payment_method' })
}

/** Ends the plan with its period. */
export async function cancelPaidPlan(call: PlanCall, when: 'now' | 'period_end' = 'period_end'): Promise<ActionResult> {
  const live = await liveSubscription(call)
  if (when === 'now') throw notYet(live)
  if (live.cancelAt === null) {
    await withoutPending(call, live, { cancelation: false })
    await setCanceled(call.deps.payments.api, call, live.id, true)
  }
  return ended(call, 'The plan is canceled. You keep it until the end of the period.', live.cancelAt === null)
}

/** Takes back a cancelation. */
export async function reactivatePaidPlan(call: PlanCall): Promise<ActionResult> {
  const live = await liveSubscription(call)
  if (live.cancelAt === null)
    throw new AppError('invalid', msg`The plan is not canceled, so there is nothing to reactivate.`, { field: 'plan' })
  await setCanceled(call.deps.payments.api, call, live.id, false)
  return ended(call, 'The plan continues.')
}

/** Takes back a scheduled plan. */
export async function undoPaidPlan(call: PlanCall): Promise<ActionResult> {
  const live = await liveSubscription(call)
  if (live.scheduled === null || live.schedule === null) throw nothingToUndo()
  await releaseSchedule(call.deps.payments.api, call, live.schedule)
  return ended(call, `The plan stays ${live.plan ?? ''}.`)
}

export const nothingToUndo = () =>
  new AppError('invalid', msg`No other plan is scheduled, so there is nothing to undo.`, { field: 'plan' })

async function liveSubscription({ deps, organization }: PlanCall): Promise<ProviderSubscription> {
  const found = await readSubscription(deps.payments.api, await customerOf(deps, organization))
  if (found?.isLive) return found
  throw new AppError('invalid', msg`The plan has ended already.`, {
    field: 'plan',
    nextAction: msg`Choose a plan again.`,
  })
}

/** Makes what the provider says ours, and answers with it. */
async function ended(call: PlanCall, message: string, changed = true): Promise<ActionResult> {
  await refresh(call.deps, call.organization, 'action')
  await inSystem(call.deps, async (tx) => {
    const row = await lockedSubscription(tx, call.organization)
    const isPending = row.cancelation_date !== null || row.scheduled_plan !== null
    if (isPending && changed)
      await tx.updateColumns(SubscriptionDoctype, call.organization, { requested_by: call.user })
  })
  return answer(call, { message, changed, payment: null })
}

const answer = ({ deps, organization }: PlanCall, said: ChangeAnswer): Promise<ActionResult> =>
  inSystem(deps, (tx) => answerOf(tx, organization, said))
