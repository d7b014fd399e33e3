import { describe, expect, test } from 'vitest'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { defaultPlans, type PlanName } from '#shared/rules/plans.ts'
import { changeLabel, effectOf, limitsOn, resourceUsage } from './plan-change.ts'
import { comingPlan, endOfPeriod } from './subscription.ts'
import { formatPlanEffect, formatPrice } from './format-plan.ts'

const offered = defaultPlans.map((plan) => ({ ...plan, plan_name: plan.name }))

function status(change: Partial<SubscriptionStatus> = {}): SubscriptionStatus {
  return {
    organization: 'acme',
    user: 'ada@acme.example',
    plans_enabled: true,
    plan_name: 'Growth',
    plan_cost: 39,
    currency: 'EUR',
    is_free_tier: false,
    is_canceled: false,
    cancelation_date: null,
    is_grant_ending: false,
    is_scheduled: false,
    scheduled_plan: null,
    scheduled_date: null,
    features: [],
    usage: { site: 18, server: 7 },
    limits: { site: 25, server: 8 },
    overrides: { site: null, server: null },
    is_site_limit_reached: false,
    is_site_limit_exceeded: false,
    is_server_limit_reached: false,
    is_server_limit_exceeded: false,
    plans: offered,
    payment_provider: null,
    payment: null,
    billed_price: null,
    billed_until: null,
    ...change,
  }
}

describe('changing the plan', () => {
  test('a larger plan adds and removes nothing', () => {
    const effect = effectOf(status(), 'Pro')
    expect(effect).toEqual({
      plan: 'Pro',
      direction: 'up',
      changes: { site: { kind: 'more', n: 50 }, server: { kind: 'more', n: 12 } },
      above: { site: 0, server: 0 },
    })
    expect(formatPlanEffect(effect)).toBe('Pro has 50 more sites and 12 more servers. Nothing is lost.')
  })

  test('a smaller plan lists what will exceed its limits', () => {
    const effect = effectOf(status(), 'Free')
    expect(effect.above).toEqual({ site: 15, server: 6 })
    expect(formatPlanEffect(effect)).toBe(
      'Free has 22 fewer sites and 7 fewer servers. 15 sites and 6 servers above the limit: everything stays and keeps running, but no new ones can be created until there are fewer.',
    )
    expect(formatPlanEffect(effectOf(status({ usage: { site: 4, server: 1 } }), 'Free'))).toContain(
      '1 site above the limit',
    )
  })

  test('unlimited is not shown as a number', () => {
    expect(formatPlanEffect(effectOf(status(), 'Enterprise'))).toBe(
      'Enterprise has sites without a limit and servers without a limit. Nothing is lost.',
    )
    const large = status({ plan_name: 'Enterprise', limits: { site: 0, server: -1 } })
    expect(formatPlanEffect(effectOf(large, 'Agency'))).toBe(
      'Agency has a limit of 200 sites and a limit of 60 servers. Nothing is lost.',
    )
    expect(effectOf(large, 'Enterprise').changes).toEqual({ site: { kind: 'same' }, server: { kind: 'same' } })
  })

  test('granted limits apply to every plan', () => {
    const granted = status({
      plan_name: 'Starter',
      limits: { site: 5, server: 2 },
      overrides: { site: 5, server: null },
    })
    expect(limitsOn(granted, 'Agency')).toEqual({ site: 5, server: 60 })
    expect(effectOf(granted, 'Agency').changes).toEqual({ site: { kind: 'same' }, server: { kind: 'more', n: 58 } })
  })

  test('a plan that changes no limit, because they were granted, is no upgrade', () => {
    const granted = status({ limits: { site: 5, server: 2 }, overrides: { site: 5, server: 2 } })
    const label = (of: SubscriptionStatus, plan: PlanName) => changeLabel(of, effectOf(of, plan))
    expect([label(granted, 'Agency'), label(granted, 'Free')]).toEqual(['switch', 'switch'])
    const one = status({ limits: { site: 5, server: 8 }, overrides: { site: 5, server: null } })
    expect([label(one, 'Agency'), label(one, 'Free')]).toEqual(['upgrade', 'downgrade'])
    // It costs more, or less, in any case.
    const paid = {
      ...granted,
      payment_provider: { name: 'stripe', publishable_key: 'pk_test_1', script_url: '/v3/' } as const,
    }
    expect([label(paid, 'Agency'), label(paid, 'Free')]).toEqual(['upgrade', 'downgrade'])
  })

  test('plans of the same size are described as such', () => {
    const plans = offered.map((plan) => ({ ...plan, resource_limits: { site: 25, server: 8 } }))
    expect(formatPlanEffect(effectOf(status({ plans }), 'Pro'))).toBe('The limits stay as they are. Nothing is lost.')
  })
})

test.each([
  [18, 25, 'left', 7, { plan: 'Pro', limit: 75 }],
  [25, 25, 'reached', 0, { plan: 'Pro', limit: 75 }],
  [30, 25, 'over', 5, { plan: 'Pro', limit: 75 }],
  [100, 25, 'over', 75, { plan: 'Agency', limit: 200 }],
  [400, 25, 'over', 375, { plan: 'Enterprise', limit: 0 }],
  [18, 0, 'unlimited', 0, null],
  [18, -1, 'unlimited', 0, null],
] as const)('%s used of a limit of %s is %s', (used, limit, state, n, next) => {
  const usage = resourceUsage(status({ usage: { site: used, server: 1 }, limits: { site: limit, server: 8 } }), 'site')
  expect(usage).toMatchObject({ state, n, next })
})

test('a canceled plan becomes Free, a scheduled one the selected plan', () => {
  const date = '2026-08-31 00:00:00'
  expect(comingPlan(status())).toBeNull()
  expect(comingPlan(status({ is_canceled: true, cancelation_date: date }))).toEqual({ plan: 'Free', date })
  expect(comingPlan(status({ is_scheduled: true, scheduled_plan: 'Pro', scheduled_date: date }))).toEqual({
    plan: 'Pro',
    date,
  })
})

test('the period ends a month after it began, counted from the last change', () => {
  const now = Date.UTC(2026, 5, 10)
  const row = { creation: '2026-01-31 08:00:00', period_anchor: null }
  expect(endOfPeriod(row, now)?.toISOString()).toBe('2026-06-30T08:00:00.000Z')
  expect(endOfPeriod({ ...row, period_anchor: '2026-06-02 10:00:00' }, now)?.toISOString()).toBe(
    '2026-07-02T10:00:00.000Z',
  )
})

test('prices are shown in their currency', () => {
  expect(formatPrice({ plan_cost: 39, currency: 'EUR' })).toBe('€39')
  expect(formatPrice({ plan_cost: 20.5, currency: 'USD' })).toBe('$20.50')
  expect(formatPrice({ plan_cost: null, currency: 'EUR' })).toBe('On request')
})
