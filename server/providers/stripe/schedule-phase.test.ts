import type { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { nextPhase, presentPhase } from './schedule-phase.ts'

const nothing = {
  add_invoice_items: [],
  application_fee_percent: null,
  billing_cycle_anchor: null,
  billing_thresholds: null,
  collection_method: null,
  currency: 'eur',
  default_payment_method: null,
  description: null,
  discounts: [],
  end_date: 200,
  invoice_settings: null,
  items: [{ billing_thresholds: null, discounts: [], metadata: {}, plan: 'price_a', price: 'price_a', quantity: 1 }],
  metadata: {},
  on_behalf_of: null,
  proration_behavior: 'create_prorations',
  start_date: 100,
  transfer_data: null,
  trial_end: null,
} satisfies Stripe.SubscriptionSchedule.Phase

test('of a plain phase, only its item and its time are sent', () => {
  const items = [{ price: 'price_a', quantity: 1 }]
  const rest = { start_date: 100, end_date: 200, proration_behavior: 'create_prorations' }
  expect(presentPhase(nothing)).toEqual({ items, ...rest })
  expect(nextPhase(nothing, 'price_b')).toEqual({
    items: [{ price: 'price_b', quantity: 1 }],
    duration: { interval: 'month', interval_count: 1 },
    proration_behavior: 'none',
  })
})

test('what holds for the subscription holds in both phases, and another item stays', () => {
  const rate = { id: 'txr_1' } as Stripe.TaxRate
  const phase: Stripe.SubscriptionSchedule.Phase = {
    ...nothing,
    application_fee_percent: 2,
    automatic_tax: { enabled: true, disabled_reason: null, liability: { type: 'account', account: 'acct_1' } },
    billing_cycle_anchor: 'automatic',
    billing_thresholds: { amount_gte: 500, reset_billing_cycle_anchor: null },
    collection_method: 'send_invoice',
    default_payment_method: 'pm_1',
    default_tax_rates: [rate],
    description: 'Growth for Acme',
    discounts: [
      { coupon: 'FRIENDS', discount: 'di_1', promotion_code: null },
      { coupon: 'FRIENDS', discount: null, promotion_code: 'promo_1' },
      { coupon: 'FRIENDS', discount: null, promotion_code: null },
    ],
    invoice_settings: {
      account_tax_ids: ['atxi_1'],
      custom_fields: [{ name: 'Order', value: '7' }],
      days_until_due: 14,
      description: null,
      footer: 'Thank you',
      issuer: { type: 'self' },
    },
    items: [
      {
        billing_thresholds: { usage_gte: 5 },
        discounts: [{ coupon: null, discount: 'di_2', promotion_code: null }],
        metadata: { seat: '1' },
        plan: 'price_a',
        price: 'price_a',
        quantity: 1,
        tax_rates: [rate],
      },
      { billing_thresholds: null, discounts: [], metadata: {}, plan: 'price_x', price: 'price_x', quantity: 3 },
    ],
    metadata: { order: '7' },
    on_behalf_of: 'acct_1',
    transfer_data: { amount_percent: null, destination: 'acct_1' },
    trial: true,
    trial_end: 150,
  }
  const terms = {
    application_fee_percent: 2,
    automatic_tax: { enabled: true, liability: { type: 'account', account: 'acct_1' } },
    billing_thresholds: { amount_gte: 500 },
    collection_method: 'send_invoice',
    default_payment_method: 'pm_1',
    default_tax_rates: ['txr_1'],
    description: 'Growth for Acme',
    discounts: [{ discount: 'di_1' }, { promotion_code: 'promo_1' }, { coupon: 'FRIENDS' }],
    invoice_settings: {
      account_tax_ids: ['atxi_1'],
      custom_fields: [{ name: 'Order', value: '7' }],
      days_until_due: 14,
      footer: 'Thank you',
      issuer: { type: 'self' },
    },
    metadata: { order: '7' },
    on_behalf_of: 'acct_1',
    transfer_data: { destination: 'acct_1' },
  }
  const itemsWith = (price: string) => [
    {
      billing_thresholds: { usage_gte: 5 },
      discounts: [{ discount: 'di_2' }],
      metadata: { seat: '1' },
      price,
      quantity: 1,
      tax_rates: ['txr_1'],
    },
    { price: 'price_x', quantity: 3 },
  ]
  expect(presentPhase(phase)).toEqual({
    ...terms,
    items: itemsWith('price_a'),
    billing_cycle_anchor: 'automatic',
    start_date: 100,
    end_date: 200,
    trial_end: 150,
    proration_behavior: 'create_prorations',
  })
  expect(nextPhase(phase, 'price_b')).toEqual({
    ...terms,
    items: itemsWith('price_b'),
    duration: { interval: 'month', interval_count: 1 },
    proration_behavior: 'none',
  })
  expect(presentPhase({ ...phase, trial_end: null })).toMatchObject({ trial: true })
})
