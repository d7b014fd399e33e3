import { expect, test } from 'vitest'
import { rateLimits } from '#server/platform/rate-limits.ts'
import { generous } from './demo-data.ts'

test('the limits of the demo are settings that can be used', () => {
  expect(rateLimits.parse(JSON.stringify(generous))).toEqual(generous)
})
