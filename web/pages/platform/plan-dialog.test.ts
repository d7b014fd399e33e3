import { expect, test } from 'vitest'
import { planValues } from './plan-dialog.tsx'

test('an empty price means on request, an empty limit means unlimited', () => {
  expect(planValues({ site_limit: '', server_limit: ' 4 ', plan_cost: '', currency: 'EUR', features: ' \n' })).toEqual({
    site_limit: 0,
    server_limit: 4,
    plan_cost: null,
    currency: 'EUR',
    features: null,
  })
  expect(
    planValues({ site_limit: '-1', server_limit: '0', plan_cost: '0', currency: 'USD', features: 'A\nB' }),
  ).toEqual({
    site_limit: -1,
    server_limit: 0,
    plan_cost: 0,
    currency: 'USD',
    features: 'A\nB',
  })
})
