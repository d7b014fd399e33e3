import { expect, test } from 'vitest'
import { createChunkBudget } from './chunk-limit.ts'

const limits = { burst: 10, perSecond: 100, bytes: 500 }

test('tiny pieces are counted, and allowed again with time', () => {
  let now = 0
  const budget = createChunkBudget(limits, () => now)
  const spend = (count: number) => Array.from({ length: count }, () => budget.spend(0)).filter(Boolean).length
  expect(spend(20)).toBe(10)
  now = 1000
  expect(spend(20)).toBe(10)
})

test('a piece costs what it lacks of a whole one', () => {
  const budget = createChunkBudget(limits, () => 0)
  for (let count = 0; count < 10_000; count += 1) expect(budget.spend(500)).toBe(true)
  for (let count = 0; count < 20; count += 1) expect(budget.spend(250)).toBe(true)
  expect(budget.spend(250)).toBe(false)
})
