import { expect, test } from 'vitest'
import { createTakeQueue, maxTaken } from './take-queue.ts'

test('archives are read one after the other; when many wait, one more is refused until another is done', async () => {
  const take = createTakeQueue()
  const gates = Array.from({ length: maxTaken }, () => Promise.withResolvers<void>())
  const begun: number[] = []
  const all = gates.map((gate, at) =>
    take(async () => {
      begun.push(at)
      await gate.promise
      if (at === 0) throw new Error('no archive')
      return at
    }),
  )
  await expect(take(async () => 'more')).rejects.toMatchObject({ code: 'unavailable' })
  expect(begun).toEqual([0])
  gates[0]?.resolve()
  await expect(all[0]).rejects.toThrow('no archive')
  const more = take(async () => 'more')
  await expect(take(async () => 'too much')).rejects.toMatchObject({ code: 'unavailable' })
  for (const gate of gates) gate.resolve()
  expect(await Promise.all(all.slice(1))).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(await more).toBe('more')
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

test('one that takes too long is stopped, says so, and the next one is read', async () => {
  const take = createTakeQueue(20)
  const endless = take(
    (signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  )
  const next = take(async () => 'next')
  await expect(endless).rejects.toMatchObject({
    code: 'unavailable',
    message: 'Reading the archive took too long and was stopped.',
  })
  expect(await next).toBe('next')
})
