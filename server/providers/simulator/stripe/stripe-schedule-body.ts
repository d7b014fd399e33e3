import { automaticTaxBody, flexible, taxRateBody } from './stripe-billing-bodies.ts'
import type { Schedule, SchedulePhase, Subscription } from './stripe-state.ts'
import type { Json } from './stripe-webhooks.ts'

/** A schedule as the vendor shows it. */
export function scheduleBody(schedule: Schedule): Json {
  const { subscription, status, endedAt } = schedule
  const current = schedule.phases[schedule.current]
  const isReleased = status === 'released'
  return {
    id: schedule.id,
    object: 'subscription_schedule',
    application: null,
    billing_mode: flexible,
    canceled_at: status === 'canceled' ? endedAt : null,
    completed_at: status === 'completed' ? endedAt : null,
    created: schedule.created,
    current_phase: status === 'active' && current ? { start_date: current.start, end_date: current.end } : null,
    customer: subscription.customer.id,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      automatic_tax: automaticTaxBody(subscription),
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: 'charge_automatically',
      default_payment_method: null,
      description: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: null,
        description: null,
        footer: null,
        issuer: { type: 'self' },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: schedule.endBehavior,
    livemode: false,
    metadata: schedule.metadata,
    pause_schedules: [],
    phases: schedule.phases.map((phase) => phaseBody(subscription, phase)),
    released_at: isReleased ? endedAt : null,
    released_subscription: isReleased ? subscription.id : null,
    status,
    subscription: isReleased ? null : subscription.id,
    test_clock: subscription.customer.timeline.id,
  }
}

const phaseBody = (
  subscription: Subscription,
  { start, end, price, proration, terms: { discounts, taxRates } }: SchedulePhase,
): Json => ({
  add_invoice_items: [],
  application_fee_percent: null,
  automatic_tax: automaticTaxBody(subscription),
  billing_cycle_anchor: null,
  billing_thresholds: null,
  collection_method: null,
  currency: price.currency,
  default_payment_method: null,
  default_tax_rates: taxRates.map(taxRateBody),
  description: null,
  discounts: discounts.map((discount) => ({ coupon: null, discount, promotion_code: null })),
  end_date: end,
  invoice_settings: null,
  items: [
    {
      billing_thresholds: null,
      discounts: [],
      metadata: {},
      plan: price.id,
      price: price.id,
      quantity: 1,
      tax_rates: [],
    },
  ],
  metadata: {},
  on_behalf_of: null,
  proration_behavior: proration,
  start_date: start,
  transfer_data: null,
  trial_end: null,
})
