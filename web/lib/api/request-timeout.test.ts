import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tooSlowMessage } from './api-error.ts'
import { withRequestTimeout } from './request-timeout.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('a call that is never answered ends with a sentence', async () => {
  const [thrown] = await Promise.all([
    withRequestTimeout(new Promise(() => undefined)).catch((error: unknown) => error),
    vi.advanceTimersByTimeAsync(60_000),
  ])
  expect(thrown).toMatchObject({ message: tooSlowMessage, httpStatus: 0 })
})

test('an answer in time is the answer, and no clock goes on', async () => {
  await expect(withRequestTimeout(Promise.resolve('yes'))).resolves.toBe('yes')
  await expect(withRequestTimeout(Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(vi.getTimerCount()).toBe(0)
})
