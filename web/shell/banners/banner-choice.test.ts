import { expect, test } from 'vitest'
import type { Subscription } from '#web/lib/session/session.tsx'
import { chooseBanner, endOfPlan } from './banner-choice.ts'

const plan = (change: Partial<Subscription> = {}): Subscription => ({
  plans_enabled: true,
  plan_name: 'Growth',
  is_free_tier: false,
  is_canceled: false,
  cancelation_date: null,
  usage: { site: 1, server: 1 },
  limits: { site: 3, server: 3 },
  ...change,
})
const canceled = { is_canceled: true, cancelation_date: '2026-12-01 00:00:00' }
const over = { usage: { site: 4, server: 9 }, limits: { site: 3, server: 0 } }

test('only the most urgent banner is shown', () => {
  const everything = { offlineSince: 1, subscription: plan({ ...canceled, ...over }), outdated: true }
  expect(chooseBanner(everything)?.kind).toBe('offline')
  const payment = { state: 'failed', amount: 39, currency: 'EUR', grace_until: null, client_secret: null } as const
  const unpaid = plan({ ...canceled, ...over, payment })
  expect(chooseBanner({ ...everything, subscription: unpaid })?.kind).toBe('offline')
  expect(chooseBanner({ offlineSince: null, subscription: unpaid, outdated: true })?.kind).toBe('payment')
  expect(chooseBanner({ ...everything, offlineSince: null })?.kind).toBe('canceled')
  expect(chooseBanner({ offlineSince: null, subscription: plan(over), outdated: true })).toEqual({
    kind: 'over_limit',
    resource: 'site',
    used: 4,
    limit: 3,
    plan: 'Growth',
  })
  expect(chooseBanner({ offlineSince: null, subscription: plan(), outdated: true })?.kind).toBe('update')
  expect(chooseBanner({ offlineSince: null, subscription: plan(), outdated: false })).toBeNull()
  expect(chooseBanner({ offlineSince: null, subscription: null, outdated: false })).toBeNull()
})

test('a full plan has no banner, and 0 and -1 mean unlimited', () => {
  const choose = (usage: Subscription['usage'], limits: Subscription['limits']) =>
    chooseBanner({ offlineSince: null, outdated: false, subscription: plan({ usage, limits }) })
  expect(choose({ site: 3, server: 3 }, { site: 3, server: 3 })).toBeNull()
  expect(choose({ site: 9, server: 9 }, { site: 0, server: -1 })).toBeNull()
  expect(choose({ site: 1, server: 4 }, { site: 3, server: 3 })).toMatchObject({ resource: 'server' })
})

test('a granted limit is not said to be the plan’s', () => {
  const granted = plan({ ...over, overrides: { site: 3, server: null } })
  expect(chooseBanner({ offlineSince: null, outdated: false, subscription: granted })).toMatchObject({ plan: null })
})

test.each([
  [canceled, '2026-12-01 00:00:00'],
  [{ ...canceled, cancelation_date: null }, null],
  [{ ...canceled, is_free_tier: true }, null],
  [{ cancelation_date: '2026-12-01 00:00:00' }, null],
])('when the plan ends: %j', (change, date) => expect(endOfPlan(plan(change))).toBe(date))
