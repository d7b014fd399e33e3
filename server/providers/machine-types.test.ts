import { expect, test } from 'vitest'
import { pricesTogether } from './machine-types.ts'

test.each([
  ['0.0056', '0.0008', '0.0064'],
  ['3.99', '0.5', '4.49'],
  ['0.1', '0.2', '0.3'],
  ['0', '0.00000000000000000001', '0.00000000000000000001'],
  ['999999999', '1', '1000000000'],
  ['1.5', '0.5', '2'],
])('%s and %s are %s', (one, other, sum) => {
  const price = (amount: string) => ({ hourly: amount, monthly: amount, currency: 'EUR' })
  expect(pricesTogether(price(one), price(other))).toEqual(price(sum))
})
