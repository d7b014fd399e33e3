import {
  changedMetadata,
  choiceOf,
  flagOf,
  found,
  integerOf,
  invalid,
  knowOnly,
  listOf,
  objectOf,
  pageOf,
  requiredText,
  textOf,
  textsOf,
  type Call,
} from './stripe-call.ts'
import { priceOf } from './stripe-catalog.ts'
import { changePrice, tellSubscription } from './stripe-invoices.ts'
import { addIntervals, prorationLines } from './stripe-money.ts'
import { scheduleBody } from './stripe-schedule-body.ts'
import {
  emit,
  nextId,
  timeOf,
  type Price,
  type Schedule,
  type SchedulePhase,
  type StripeState,
  type Subscription,
} from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

const nowOf = (state: StripeState, { subscription }: Schedule): number => timeOf(state, subscription.customer.timeline)

const tell = (state: StripeState, schedule: Schedule, type: string): void =>
  emit(state, schedule.subscription.customer.timeline, `subscription_schedule.${type}`, scheduleBody(schedule))

/** From a subscription, which has one phase then: its current period. */
export function createSchedule(call: Call): Json {
  const { state, params } = call
  const id = requiredText(params, 'from_subscription')
  if (Object.keys(params).some((name) => name !== 'from_subscription' && name !== 'expand'))
    throw invalid('You cannot set other parameters if `from_subscription` is set.', { param: 'from_subscription' })
  const subscription = found(state.subscriptions, 'subscription', id, 'from_subscription')
  if (subscription.schedule !== null)
    throw invalid('You cannot migrate a subscription that is already attached to a schedule.')
  if (subscription.status !== 'active' && subscription.status !== 'past_due')
    throw invalid(`You cannot migrate a subscription in the \`${subscription.status}\` status.`)
  const { periodStart: start, periodEnd: end, price, terms } = subscription
  const schedule: Schedule = {
    id: nextId(state, 'sub_sched'),
    created: timeOf(state, subscription.customer.timeline),
    metadata: {},
    subscription,
    phases: [{ start, end, price, proration: 'create_prorations', terms }],
    current: 0,
    endBehavior: subscription.cancelAtPeriodEnd ? 'cancel' : 'release',
    status: 'active',
    endedAt: null,
  }
  subscription.cancelAtPeriodEnd = false
  subscription.canceledAt = null
  subscription.schedule = schedule.id
  state.schedules.set(schedule.id, schedule)
  tell(state, schedule, 'created')
  tellSubscription(state, subscription)
  return scheduleBody(schedule)
}

export function retrieveSchedule({ state, ids: [id] }: Call): Json {
  return scheduleBody(found(state.schedules, 'subscription schedule', id))
}

export function listSchedules(call: Call): Json {
  const customer = textOf(call.params, 'customer')
  const schedules = [...call.state.schedules.values()].filter(
    ({ subscription }) => customer === undefined || subscription.customer.id === customer,
  )
  return pageOf(call, { url: '/v1/subscription_schedules', filters: ['customer'] }, schedules, scheduleBody)
}

function activeSchedule({ state, ids: [id] }: Call, doing: string): Schedule {
  const schedule = found(state.schedules, 'subscription schedule', id)
  if (schedule.status !== 'active')
    throw invalid(
      `You cannot ${doing} a subscription schedule that is currently in the \`${schedule.status}\` status. It needs to be in \`not_started\` or \`active\` status.`,
    )
  return schedule
}

export function updateSchedule(call: Call): Json {
  const { state, params } = call
  knowOnly(call, ['phases', 'end_behavior', 'proration_behavior', 'metadata'])
  const schedule = activeSchedule(call, 'update')
  if (params['phases'] !== undefined) {
    schedule.phases = phasesOf(call, schedule)
    schedule.current = 0
    schedule.subscription.terms = schedule.phases[0]?.terms ?? schedule.subscription.terms
  }
  schedule.endBehavior = choiceOf(params, 'end_behavior', ['release', 'cancel']) ?? schedule.endBehavior
  schedule.metadata = changedMetadata(params, schedule.metadata)
  tell(state, schedule, 'updated')
  return scheduleBody(schedule)
}

const phaseFields = [
  ...['items', 'start_date', 'end_date', 'duration', 'proration_behavior', 'currency', 'metadata'],
  ...['discounts', 'default_tax_rates', 'automatic_tax'],
]

function phasesOf({ state, params }: Call, schedule: Schedule): SchedulePhase[] {
  const now = nowOf(state, schedule)
  const phases: SchedulePhase[] = []
  for (const [at, sent] of listOf(params, 'phases').entries()) {
    const where = `phases[${at}]`
    const unknown = Object.keys(sent).find((name) => !phaseFields.includes(name))
    if (unknown !== undefined)
      throw invalid(`Received unknown parameter: ${where}[${unknown}]`, { code: 'parameter_unknown' })
    const before = phases.at(-1)
    const start = integerOf(sent, 'start_date') ?? before?.end
    if (start === undefined || (before && start !== before.end))
      throw invalid('Each phase begins where the one before ends.', { param: `${where}[start_date]` })
    if (!before && start !== schedule.phases[schedule.current]?.start)
      throw invalid('You can not modify the start date of the current phase.', { param: `${where}[start_date]` })
    const price = priceOf(state, listOf(sent, 'items'))
    const proration = choiceOf(sent, 'proration_behavior', ['always_invoice', 'create_prorations', 'none'])
    const end = integerOf(sent, 'end_date') ?? endOf(sent, start)
    if (end <= start || end <= now)
      throw invalid('A phase ends after it begins, and later than now.', { param: `${where}[end_date]` })
    phases.push({ start, end, price, proration: proration ?? 'create_prorations', terms: termsOf(sent, schedule) })
  }
  if (phases.length === 0) throw invalid('A schedule has at least one phase.', { param: 'phases' })
  if (phases[0]?.price !== schedule.subscription.price)
    throw invalid('This simulator changes the current phase by its subscription.', { param: 'phases[0][items]' })
  return phases
}

/** A phase that does not name what is on the subscription has none of it. */
function termsOf(sent: Json, { subscription }: Schedule): SchedulePhase['terms'] {
  const discounts = listOf(sent, 'discounts').map((one) => requiredText(one, 'discount'))
  const unknown = discounts.find((id) => !subscription.terms.discounts.includes(id))
  if (unknown !== undefined) throw invalid(`No such discount: '${unknown}'`, { code: 'resource_missing', status: 404 })
  const isTaxed = flagOf(objectOf(sent, 'automatic_tax'), 'enabled') ?? subscription.automaticTax
  if (isTaxed !== subscription.automaticTax) throw invalid('This simulator taxes all phases or none.')
  return { discounts, taxRates: textsOf(sent, 'default_tax_rates') }
}

function endOf(phase: Json, start: number): number {
  const duration = objectOf(phase, 'duration')
  const interval = choiceOf(duration, 'interval', ['day', 'week', 'month', 'year'])
  if (!interval)
    throw invalid('A phase needs an end_date or a duration.', { code: 'parameter_missing', param: 'phases' })
  return addIntervals(start, interval, integerOf(duration, 'interval_count') ?? 1)
}

/** Its subscription stays as it is. */
export function releaseSchedule(call: Call): Json {
  knowOnly(call, ['preserve_cancel_date'])
  const schedule = activeSchedule(call, 'release')
  endSchedule(call.state, schedule.subscription, 'released')
  tellSubscription(call.state, schedule.subscription)
  return scheduleBody(schedule)
}

/** The schedule of a subscription ends. */
export function endSchedule(
  state: StripeState,
  subscription: Subscription,
  status: 'released' | 'canceled' | 'completed',
): void {
  const schedule = scheduleOf(state, subscription)
  if (!schedule) return
  schedule.status = status
  schedule.endedAt = nowOf(state, schedule)
  if (status === 'released') subscription.schedule = null
  tell(state, schedule, status)
}

function scheduleOf(state: StripeState, subscription: Subscription): Schedule | undefined {
  const schedule = state.schedules.get(subscription.schedule ?? '')
  return schedule?.status === 'active' ? schedule : undefined
}

/** The current phase follows what was changed at its subscription. */
export function moveSchedule(state: StripeState, subscription: Subscription): void {
  const schedule = scheduleOf(state, subscription)
  if (!schedule) return
  const { price } = subscription
  schedule.phases = schedule.phases.map((phase, at) => (at === schedule.current ? { ...phase, price } : phase))
  tell(state, schedule, 'updated')
}

/** When the schedule of a subscription does something next. */
export function phaseEndOf(state: StripeState, subscription: Subscription): number | null {
  const schedule = scheduleOf(state, subscription)
  return schedule?.phases[schedule.current]?.end ?? null
}

/** The phase that ends now gives way to the next one, or the schedule ends. Returns whether its subscription ends with it. */
export function endPhase(state: StripeState, subscription: Subscription): boolean {
  const schedule = scheduleOf(state, subscription)
  if (!schedule) return false
  const next = schedule.phases[schedule.current + 1]
  if (next) {
    schedule.current += 1
    enterPhase(state, subscription, next)
    tell(state, schedule, 'updated')
    return false
  }
  if (schedule.endBehavior === 'cancel') {
    endSchedule(state, subscription, 'completed')
    return true
  }
  endSchedule(state, subscription, 'released')
  tellSubscription(state, subscription)
  return false
}

function enterPhase(
  state: StripeState,
  subscription: Subscription,
  { price, proration, start, terms }: SchedulePhase,
): void {
  subscription.terms = terms
  if (price === subscription.price) return
  if (proration === 'none' || start >= subscription.periodEnd) subscription.price = price
  else {
    subscription.pendingLines = [...subscription.pendingLines, ...prorationLines(state, subscription, price, start)]
    changePrice(subscription, price, start)
  }
  tellSubscription(state, subscription)
}

/** The price of the next period. */
export function nextPriceOf(state: StripeState, subscription: Subscription): Price {
  const phases = scheduleOf(state, subscription)?.phases ?? []
  return phases.findLast(({ start }) => start <= subscription.periodEnd)?.price ?? subscription.price
}
