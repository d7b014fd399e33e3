/** What happens because time passes, and the clocks that make it pass. */
import { clockBody } from './stripe-bodies.ts'
import { found, integerOf, invalid, knowOnly, textOf, type Call } from './stripe-call.ts'
import {
  collectInvoice,
  draftInvoice,
  finalizeInvoice,
  planRetry,
  storeInvoice,
  tellSubscription,
} from './stripe-invoices.ts'
import { addIntervals, periodEndOf, periodLine } from './stripe-money.ts'
import { endPhase, phaseEndOf } from './stripe-schedules.ts'
import {
  emit,
  nextId,
  timeOf,
  type Invoice,
  type StripeState,
  type Subscription,
  type Timeline,
} from './stripe-state.ts'
import { cancelSubscription, endPendingUpdate, waitSeconds } from './stripe-subscriptions.ts'
import type { Json } from './stripe-webhooks.ts'

/** Something that is due. At the same moment, the earlier kind comes first. */
interface Due {
  readonly at: number
  readonly kind: 'phase' | 'wait' | 'period' | 'invoice'
  run(): void
}

const kinds: readonly Due['kind'][] = ['phase', 'wait', 'period', 'invoice']

function* duesOf(state: StripeState, subscription: Subscription): Generator<Due> {
  const { status, pendingUpdate } = subscription
  if (status === 'incomplete')
    yield {
      at: subscription.created + waitSeconds,
      kind: 'wait',
      run: () => cancelSubscription(state, subscription, null),
    }
  if (status !== 'active' && status !== 'past_due') return
  if (pendingUpdate) yield { at: pendingUpdate.expiresAt, kind: 'wait', run: () => expireUpdate(state, subscription) }
  const phaseEnd = phaseEndOf(state, subscription)
  if (phaseEnd !== null)
    yield {
      at: phaseEnd,
      kind: 'phase',
      run: () => {
        if (endPhase(state, subscription)) cancelSubscription(state, subscription, null)
      },
    }
  yield { at: subscription.periodEnd, kind: 'period', run: () => endPeriod(state, subscription) }
}

function nextDue(state: StripeState, timeline: Timeline): Due | null {
  const dues: Due[] = []
  for (const subscription of state.subscriptions.values())
    if (subscription.customer.timeline === timeline) dues.push(...duesOf(state, subscription))
  for (const invoice of state.invoices.values())
    if (invoice.customer.timeline === timeline && invoice.nextStep !== null)
      dues.push({ at: invoice.nextStep, kind: 'invoice', run: () => takeStep(state, invoice) })
  return dues.reduce<Due | null>((first, one) => (first === null || isBefore(one, first) ? one : first), null)
}

const isBefore = (one: Due, other: Due): boolean =>
  one.at < other.at || (one.at === other.at && kinds.indexOf(one.kind) < kinds.indexOf(other.kind))

/** Lets everything happen that is due until then, each at its moment. */
export function passTime(state: StripeState, timeline: Timeline, to: number): void {
  for (;;) {
    const due = nextDue(state, timeline)
    if (due === null || due.at > to) break
    timeline.frozen = due.at
    due.run()
  }
  timeline.frozen = timeline.id === null ? null : to
}

function expireUpdate(state: StripeState, subscription: Subscription): void {
  endPendingUpdate(state, subscription)
  tellSubscription(state, subscription, 'pending_update_expired')
  tellSubscription(state, subscription)
}

/** How long a renewal's invoice is a draft. */
const draftSeconds = 3600

function endPeriod(state: StripeState, subscription: Subscription): void {
  if (subscription.cancelAtPeriodEnd) return cancelSubscription(state, subscription, null)
  const { price, periodStart, periodEnd: start, pendingLines } = subscription
  subscription.cycle += 1
  const end = periodEndOf(subscription, subscription.cycle)
  subscription.periodStart = start
  subscription.periodEnd = end
  subscription.billed = { amount: price.amount, start, end }
  subscription.pendingLines = []
  const lines = [...pendingLines, periodLine(state, price, start, end)]
  const period = { start: periodStart, end: start }
  const invoice = draftInvoice(state, subscription, { reason: 'subscription_cycle', lines, period })
  invoice.nextStep = start + draftSeconds
  storeInvoice(state, invoice)
  tellSubscription(state, subscription)
}

/** A draft is finalized and paid, what could not be paid is tried again. */
function takeStep(state: StripeState, invoice: Invoice): void {
  if (invoice.status === 'draft') finalizeInvoice(state, invoice)
  if (invoice.status !== 'open' || collectInvoice(state, invoice) === 'paid') return
  if (!planRetry(state, invoice)) cancelSubscription(state, invoice.subscription, 'payment_failed')
}

export function createClock(call: Call): Json {
  const { state, params } = call
  knowOnly(call, ['frozen_time', 'name'])
  const frozen = integerOf(params, 'frozen_time')
  if (frozen === undefined)
    throw invalid('Missing required param: frozen_time.', { code: 'parameter_missing', param: 'frozen_time' })
  const created = Math.floor(state.options.now() / 1000)
  const clock: Timeline = { id: nextId(state, 'clock'), created, name: textOf(params, 'name') ?? null, frozen }
  state.clocks.set(clock.id ?? '', clock)
  return clockBody(state, clock)
}

export const retrieveClock = ({ state, ids: [id] }: Call): Json =>
  clockBody(state, found(state.clocks, 'test clock', id))

export function advanceClock(call: Call): Json {
  const { state, params, ids } = call
  knowOnly(call, ['frozen_time'])
  const clock = found(state.clocks, 'test clock', ids[0])
  const [to, now] = [integerOf(params, 'frozen_time') ?? 0, timeOf(state, clock)]
  if (to <= now) throw invalid('A test clock can only be advanced to the future.', { param: 'frozen_time' })
  const intervals = [...state.subscriptions.values()]
    .filter(({ customer, endedAt }) => customer.timeline === clock && endedAt === null)
    .map(({ price }) => addIntervals(now, price.interval, 2 * price.intervalCount))
  if (to > Math.min(...intervals))
    throw invalid('A test clock can be advanced by two intervals of its shortest subscription at most.', {
      param: 'frozen_time',
    })
  passTime(state, clock, to)
  emit(state, clock, 'test_helpers.test_clock.ready', clockBody(state, clock))
  // It takes the vendor a while: who asks next sees that it is done.
  return clockBody(state, clock, 'advancing')
}
