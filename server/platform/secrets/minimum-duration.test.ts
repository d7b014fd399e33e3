import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { withMinimumDuration } from './minimum-duration.ts'

test.each([
  ['an answer', () => Promise.resolve('done'), 'done'],
  ['an error', () => Promise.reject(new Error('refused')), 'Error: refused'],
])('%s waits until the shortest duration has passed', async (_, work, expected) => {
  const order: string[] = []
  const asleep = Promise.withResolvers<void>()
  const answer = withMinimumDuration(400, work, (ms) => {
    order.push(`asleep for ${ms}`)
    return asleep.promise
  })
  const settled = answer.then(String, String).then((text) => order.push(text))
  await nextTurn()
  order.push('awake')
  asleep.resolve()
  await settled
  expect(order).toEqual(['asleep for 400', 'awake', expected])
})

test('without another timer it waits for the real one', async () => {
  const begun = performance.now()
  await withMinimumDuration(150, () => Promise.resolve())
  // Timers may be a millisecond early.
  expect(performance.now() - begun).toBeGreaterThan(148)
})
