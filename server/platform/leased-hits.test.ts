import { expect, test } from 'vitest'
import { createHitCounters } from './hit-counters.ts'
import { createLeasedHits, grantHits, type AskForHits } from './leased-hits.ts'

const limit = { limit: 600, seconds: 60 }

/** Processes that count together, at a time that the test sets. */
function setUp(processes: number) {
  let nowMs = 0
  let messages = 0
  const counters = createHitCounters(() => nowMs)
  const ask: AskForHits = (...of) => {
    messages += 1
    return Promise.resolve(grantHits(counters, ...of))
  }
  const others = Array.from({ length: processes }, () => createLeasedHits(ask, () => nowMs))
  return {
    counters,
    others,
    messages: () => messages,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('of many requests in several processes exactly as many pass as the limit allows', async () => {
  const { counters, others, messages } = setUp(3)
  let passed = 0
  let asked = 0
  for (let at = 0; at < 300; at += 1) {
    if (counters.hit('ann', limit) === 0) passed += 1
    const waits = await Promise.all(others.map((one) => one.hit('ann', limit)))
    passed += waits.filter((wait) => wait === 0).length
    if (waits.every((wait) => wait === 0)) asked = messages()
  }
  expect(passed).toBeLessThanOrEqual(limit.limit)
  expect(passed).toBeGreaterThan(limit.limit * 0.95)
  expect(await others[0]?.hit('ann', limit)).toBeGreaterThan(0)
  expect(await others[0]?.hit('bob', limit)).toBe(0)
  // Of some 450.
  expect(asked).toBeLessThan(60)
})

test('what a caller did not use in time comes back', async () => {
  const { others, pass } = setUp(2)
  const waits: (number | undefined)[] = []
  for (let round = 0; round < 45; round += 1) {
    for (let at = 0; at < 9; at += 1) waits.push(await others[round % 2]?.hit('ann', limit))
    pass(1050)
  }
  // 405 in less than a minute: with those that were granted and not used it would be more than the limit.
  expect(waits.filter((wait) => wait !== 0)).toEqual([])
})

test('hits of an earlier window that were not used do not come back in this one', async () => {
  const { counters, others, pass } = setUp(1)
  for (let at = 0; at < 8; at += 1) await others[0]?.hit('ann', limit)
  pass(120_000)
  for (let at = 0; at < limit.limit - 1; at += 1) expect(counters.hit('ann', limit)).toBe(0)
  expect(await others[0]?.hit('ann', limit)).toBe(0)
  expect(counters.hit('ann', limit)).toBeGreaterThan(0)
})

test('requests at the same time wait for one message, and a hit taken back can be used again', async () => {
  const { others, messages } = setUp(1)
  const [one] = others
  await Promise.all([one, one, one].map(async (each) => each?.hit('ann', { limit: 200, seconds: 60 })))
  expect(messages()).toBeLessThanOrEqual(3)
  one?.refund('ann')
  const before = messages()
  expect(await one?.hit('ann', limit)).toBe(0)
  expect(messages()).toBe(before)
})
