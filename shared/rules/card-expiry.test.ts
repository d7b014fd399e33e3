import { expect, test } from 'vitest'
import { cardExpiry } from './card-expiry.ts'

test.each([
  ['2026-11-30T23:59:59Z', 'ok'],
  ['2026-12-02T00:00:00Z', 'soon'],
  ['2026-12-31T23:59:59Z', 'soon'],
  ['2027-01-01T00:00:00Z', 'expired'],
] as const)('a card of 12/2026 is, on %s, %s', (now, expected) =>
  expect(cardExpiry({ exp_month: 12, exp_year: 2026 }, Date.parse(now))).toBe(expected),
)
