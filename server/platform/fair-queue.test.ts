import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFairQueue, type FairQueueOptions, type QueueGroup } from './fair-queue.ts'

const limits = { atOnce: 1, waiting: { all: 10, ofKind: 8 }, share: { known: 2, unknown: 6 } }

/** A queue whose work completes when the test says so. */
function open(options: Partial<FairQueueOptions> = {}) {
  const queue = createFairQueue({ ...limits, full: () => new Error('full'), ...options })
  const started: { name: string; end: () => void }[] = []
  const rejected: string[] = []
  let maxConcurrent = 0
  let running = 0
  const add = (name: string, group: QueueGroup) => {
    queue
      .run(group, async () => {
        running += 1
        maxConcurrent = Math.max(maxConcurrent, running)
        await new Promise<void>((end) => started.push({ name, end }))
        running -= 1
        if (name.endsWith('3')) throw new Error('The work failed.')
      })
      .catch((error: Error) => (error.message === 'full' ? rejected.push(name) : undefined))
  }
  /** Completes running work until nothing is waiting; returns the names in the order of their turns. */
  const drain = async () => {
    for (let at = 0; ; at += 1) {
      await new Promise(setImmediate)
      const next = started[at]
      if (!next) return started.map(({ name }) => name)
      next.end()
    }
  }
  return { add, drain, rejected, most: () => maxConcurrent }
}

const address = (key: string): QueueGroup => ({ key, known: false })
const device = (key: string): QueueGroup => ({ key, known: true })

test('groups take turns, even if one has many requests', async () => {
  const queue = open()
  for (let n = 0; n < 4; n += 1) queue.add(`a${n}`, address('a'))
  queue.add('b0', address('b'))
  queue.add('c0', address('c'))
  expect(await queue.drain()).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'a3'])
})

test('a known caller has every other turn', async () => {
  const queue = open()
  for (let n = 0; n < 6; n += 1) queue.add(`s${n}`, address(`stranger ${n}`))
  queue.add('known', device('mine'))
  queue.add('known too', device('other'))
  expect(await queue.drain()).toEqual(['s0', 'known', 's1', 'known too', 's2', 's3', 's4', 's5'])
})

test('a group waits with its share at most', async () => {
  const queue = open()
  for (let n = 0; n < 12; n += 1) queue.add(`a${n}`, address('a'))
  for (let n = 0; n < 4; n += 1) queue.add(`d${n}`, device('d'))
  await queue.drain()
  expect(queue.rejected).toEqual(['a7', 'a8', 'a9', 'a10', 'a11', 'd2', 'd3'])
})

test('in a full queue the group that has most makes room, not for itself', async () => {
  const queue = open()
  for (let n = 0; n < 7; n += 1) queue.add(`a${n}`, address('a'))
  for (let n = 0; n < 3; n += 1) queue.add(`b${n}`, address('b'))
  // Six of a and two of b are waiting when the third one comes: it and c replace the newest of a; a can't replace any.
  queue.add('c0', address('c'))
  queue.add('a7', address('a'))
  const order = await queue.drain()
  expect(queue.rejected.toSorted()).toEqual(['a5', 'a6', 'a7'])
  expect(order).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'b2', 'a4'])
})

test('strangers leave room for known callers, and these for strangers', async () => {
  const queue = open()
  for (let n = 0; n < 30; n += 1) queue.add(`s${n}`, address(`stranger ${n}`))
  for (let n = 0; n < 30; n += 1) queue.add(`d${n}`, device(`device ${n}`))
  const order = await queue.drain()
  expect(order.filter((name) => name.startsWith('d'))).toHaveLength(2)
  expect(order.filter((name) => name.startsWith('s'))).toHaveLength(9)
})

test('the limits hold for any load, every caller gets a result, and failed work frees its slot', async () => {
  const who = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), known: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(who, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (callers, atOnce) => {
      const queue = open({ atOnce })
      callers.forEach((group, n) => queue.add(`${n}`, group))
      const order = await queue.drain()
      expect(queue.most()).toBeLessThanOrEqual(atOnce)
      expect(order.length).toBeLessThanOrEqual(atOnce + limits.waiting.all)
      expect([...order, ...queue.rejected].toSorted()).toEqual(callers.map((_, n) => `${n}`).toSorted())
    }),
    { numRuns: 50 },
  )
})
