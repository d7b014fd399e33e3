import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { joinEarlyRead, keepEarlyRead, takeEarlyRead } from './early-reads.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('an answer is taken once, before it is there by waiting for it', async () => {
  keepEarlyRead(['a'], Promise.resolve(1))
  expect(takeEarlyRead(['a'])).toBeUndefined()
  expect(await joinEarlyRead(['a'])).toBe(1)
  expect(await joinEarlyRead(['a'])).toBeUndefined()
  keepEarlyRead(['b'], Promise.resolve(2))
  await vi.advanceTimersByTimeAsync(0)
  expect([takeEarlyRead(['b']), takeEarlyRead(['b'])]).toEqual([2, undefined])
})

test('a failure is no answer', async () => {
  keepEarlyRead(['a'], Promise.reject(new Error('offline')))
  expect(await joinEarlyRead(['a'])).toBeUndefined()
})

test('what nobody took is forgotten, because it may no longer be true', async () => {
  keepEarlyRead(['a'], Promise.resolve(1))
  await vi.advanceTimersByTimeAsync(14_000)
  keepEarlyRead(['b'], Promise.resolve(2))
  await vi.advanceTimersByTimeAsync(2000)
  expect(takeEarlyRead(['a'])).toBeUndefined()
  expect(takeEarlyRead(['b'])).toBe(2)
})
