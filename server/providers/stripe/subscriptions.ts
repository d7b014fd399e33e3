import type { Stripe } from 'stripe'
import type { PlanName } from '#shared/rules/plans.ts'
import { inUnits } from './money.ts'
import { readOpenPayment, type OpenPayment } from './open-payment.ts'
import { planOfPrice, planOfPriceId } from './prices.ts'
import { nextPhase, presentPhase } from './schedule-phase.ts'
import {
  askStripe,
  atMs,
  everything,
  idOf,
  isCardRefusal,
  isUnderWay,
  isUnknown,
  type StripeApi,
} from './stripe-client.ts'

/** What a customer pays for, as the provider says. Times in milliseconds. */
export interface ProviderSubscription {
  readonly id: string
  /** Null: for something that is none of our plans. */
  readonly plan: PlanName | null
  /** What it costs a month, in units of the currency; null if that depends on use. */
  readonly price: number | null
  /** Upper case. */
  readonly currency: string
  /** Whether the plan is to be had: it was paid for, even if its renewal is not. */
  readonly isLive: boolean
  /** Whether the present period is unpaid. */
  readonly isUnpaid: boolean
  readonly periodStart: number
  readonly periodEnd: number
  /** When it ends, if it was canceled. */
  readonly cancelAt: number | null
  readonly scheduled: { readonly plan: PlanName; readonly date: number } | null
  readonly payment: OpenPayment | null
  readonly item: string
  readonly schedule: string | null
  /** Another plan that waits for its payment. */
  readonly pendingPlan: PlanName | null
  /** Its last invoice. */
  readonly invoice: string | null
}

type Status = Stripe.Subscription['status']

const paidStatuses: readonly Status[] = ['active', 'trialing', 'past_due', 'unpaid', 'paused']
const unpaidStatuses: readonly Status[] = ['past_due', 'unpaid']

/**
 * What the customer pays for: the oldest subscription that is live, or else one whose first payment is open. Null if there is
 * none, also if the provider no longer knows the customer.
 */
export async function readSubscription(api: StripeApi, customer: string): Promise<ProviderSubscription | null> {
  const all = await listed(api, customer)
  const live = all.filter(({ status }) => paidStatuses.includes(status))
  const found = live.at(-1) ?? all.find(({ status }) => status === 'incomplete')
  return found ? describe(api, found) : null
}

async function listed(api: StripeApi, customer: string): Promise<Stripe.Subscription[]> {
  try {
    return await askStripe(api, (stripe) =>
      everything(stripe.subscriptions.list({ customer, limit: 100, expand: ['data.schedule'] })),
    )
  } catch (error) {
    if (isUnknown(error)) return []
    throw error
  }
}

async function describe(api: StripeApi, one: Stripe.Subscription): Promise<ProviderSubscription> {
  const [item] = one.items.data
  if (!item) throw new Error(`Subscription ${one.id} has no item.`)
  const isLive = paidStatuses.includes(one.status)
  const isUnpaid = unpaidStatuses.includes(one.status)
  const invoice = idOf(one.latest_invoice)
  const isOpen = invoice !== null && (isUnpaid || !isLive || one.pending_update !== null)
  const [pending] = one.pending_update?.subscription_items ?? []
  const { current_period_start: start, current_period_end: end } = item
  return {
    id: one.id,
    plan: planOfPrice(item.price),
    price: item.price.unit_amount === null ? null : inUnits(item.price.unit_amount, item.price.currency),
    currency: item.price.currency.toUpperCase(),
    isLive,
    isUnpaid,
    periodStart: atMs(start),
    periodEnd: atMs(end),
    cancelAt: cancelDate(one, end),
    scheduled: await scheduledChange(api, one, idOf(item.price)),
    payment: isOpen ? await readOpenPayment(api, invoice) : null,
    item: item.id,
    schedule: idOf(one.schedule),
    pendingPlan: pending ? planOfPrice(pending.price) : null,
    invoice,
  }
}

function cancelDate({ cancel_at, cancel_at_period_end }: Stripe.Subscription, end: number): number | null {
  if (cancel_at !== null) return atMs(cancel_at)
  return cancel_at_period_end ? atMs(end) : null
}

/** The first later phase of its schedule with another price. */
async function scheduledChange(
  api: StripeApi,
  { schedule }: Stripe.Subscription,
  price: string | null,
): Promise<ProviderSubscription['scheduled']> {
  if (schedule === null || typeof schedule === 'string') return null
  if (schedule.status !== 'active' && schedule.status !== 'not_started') return null
  const from = schedule.current_phase?.start_date ?? 0
  for (const { start_date, items } of schedule.phases) {
    const other = idOf(items[0]?.price)
    if (start_date <= from || other === null || other === price) continue
    const plan = await planOfPriceId(api, other)
    if (plan !== null) return { plan, date: atMs(start_date) }
  }
  return null
}

/** Everything that changes something has a key of its own: repeated after a lost answer, it is the same request. */
interface Change {
  /** Mark of the change as a whole. */
  readonly mark: string
}

const key = ({ mark }: Change, step: string) => ({ idempotencyKey: `${step}-${mark}` })

/** Said when a subscription begins; it keeps that. */
export const automaticTax = ({ settings }: StripeApi) =>
  settings.automaticTax ? { automatic_tax: { enabled: true } } : {}

/** Starts a subscription and tries to pay its first invoice. The customer's default card pays the later ones. */
export async function startSubscription(
  api: StripeApi,
  change: Change,
  { customer, price, method, organization }: { customer: string; price: string; method: string; organization: string },
): Promise<void> {
  const made = await askStripe(api, (stripe) =>
    stripe.subscriptions.create(
      {
        customer,
        items: [{ price }],
        payment_behavior: 'default_incomplete',
        metadata: { organization },
        ...automaticTax(api),
      },
      key(change, 'start'),
    ),
  )
  const invoice = idOf(made.latest_invoice)
  if (invoice !== null && made.status === 'incomplete') await payInvoice(api, invoice, method)
}

/**
 * Pays an open invoice with a card. A refusal is no error here: what became of the payment is read from the invoice, as after
 * every other payment. `intent`: the setup intent that the card was added with, which tries the card once on it (a day long).
 */
export async function payInvoice(
  api: StripeApi,
  invoice: string,
  method: string,
  intent: string | null = null,
): Promise<void> {
  const once = intent === null ? {} : { idempotencyKey: `pay-${intent}-${invoice}` }
  try {
    await askStripe(api, (stripe) => stripe.invoices.pay(invoice, { payment_method: method, off_session: false }, once))
  } catch (error) {
    if (!isCardRefusal(error) && !isUnderWay(error)) throw error
  }
}

/** Changes the plan at once and charges the difference; the plan changes only if that is paid. */
export async function upgrade(
  api: StripeApi,
  change: Change,
  { id, item }: ProviderSubscription,
  price: string,
): Promise<void> {
  try {
    await askStripe(api, (stripe) =>
      stripe.subscriptions.update(
        id,
        {
          items: [{ id: item, price }],
          proration_behavior: 'always_invoice',
          payment_behavior: 'pending_if_incomplete',
        },
        key(change, 'upgrade'),
      ),
    )
  } catch (error) {
    if (!isCardRefusal(error)) throw error
  }
}

/** Lets another price follow, on the same terms, at the end of the period of a subscription that has no schedule. */
export async function scheduleChange(
  api: StripeApi,
  change: Change,
  subscription: string,
  price: string,
): Promise<void> {
  await askStripe(api, async (stripe) => {
    const { id, phases } = await stripe.subscriptionSchedules.create(
      { from_subscription: subscription },
      key(change, 'schedule'),
    )
    const [phase] = phases
    if (!phase?.items[0]) throw new Error(`Schedule ${id} has no phase.`)
    await stripe.subscriptionSchedules.update(
      id,
      {
        end_behavior: 'release',
        proration_behavior: 'none',
        phases: [presentPhase(phase), nextPhase(phase, price)],
      },
      key(change, 'phases'),
    )
  })
}

/** Takes back a scheduled change. */
export async function releaseSchedule(api: StripeApi, change: Change, schedule: string): Promise<void> {
  await askStripe(api, (stripe) => stripe.subscriptionSchedules.release(schedule, {}, key(change, 'release')))
}

/** Lets it end with its period, or not any more. */
export async function setCanceled(
  api: StripeApi,
  change: Change,
  subscription: string,
  canceled: boolean,
): Promise<void> {
  const step = canceled ? 'cancel' : 'reactivate'
  await askStripe(api, (stripe) =>
    stripe.subscriptions.update(subscription, { cancel_at_period_end: canceled }, key(change, step)),
  )
}

/** Ends it at once; nothing is paid back. What it still owes is void, so that nobody is asked for it later. */
export async function endSubscription(api: StripeApi, subscription: ProviderSubscription): Promise<void> {
  await askStripe(api, (stripe) => stripe.subscriptions.cancel(subscription.id))
  await dropPayment(api, subscription)
}

/** Makes an open payment void, and with it the change that waits for it. */
export async function dropPayment(api: StripeApi, { payment }: Pick<ProviderSubscription, 'payment'>): Promise<void> {
  if (payment === null) return
  await askStripe(api, async (stripe) => {
    const { status } = await stripe.invoices.retrieve(payment.invoice)
    if (status === 'open') await stripe.invoices.voidInvoice(payment.invoice)
  })
}
