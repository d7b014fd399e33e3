import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { createUploadLocks } from './upload-locks.ts'

const signal = new AbortController().signal
const free = () => undefined

it('a newer request asks the older one to end, waits without asking again, and continues when it has ended', async () => {
  const locks = createUploadLocks()
  const calls = vi.fn<() => void>()
  await locks.newLock('a').lock(signal, calls)
  let hasLock = false
  const newer = locks
    .newLock('a')
    .lock(signal, free)
    .then(() => {
      hasLock = true
    })
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  expect([calls.mock.calls.length, hasLock]).toEqual([1, false])
  // Another upload is not affected.
  await locks.newLock('b').lock(signal, free)
  await locks.newLock('a').unlock()
  await newer
  expect(hasLock).toBe(true)
})

it('waiting requests continue one at a time', async () => {
  const locks = createUploadLocks()
  await locks.newLock('a').lock(signal, free)
  const order: number[] = []
  const waiting = [1, 2, 3].map(async (n) => {
    await locks.newLock('a').lock(signal, free)
    order.push(n)
  })
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    await locks.newLock('a').unlock()
    for (let turn = 0; turn < 5; turn += 1) await nextTurn()
    expect(order).toEqual(expected)
  }
  await Promise.all(waiting)
})

it('four wait at the most, and not longer than the request of each', async () => {
  const locks = createUploadLocks()
  await locks.newLock('a').lock(signal, free)
  const ends = new AbortController()
  const waiting = Array.from({ length: 4 }, () => locks.newLock('a').lock(ends.signal, free))
  await expect(locks.newLock('a').lock(signal, free)).rejects.toMatchObject({ code: 'conflict' })
  ends.abort()
  for (const one of waiting) await expect(one).rejects.toMatchObject({ code: 'conflict' })
  await locks.newLock('a').unlock()
  await locks.newLock('a').lock(signal, free)
})
