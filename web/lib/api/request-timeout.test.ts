import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tooSlowMessage } from './api-error.ts'
import { withRequestTimeout } from './request-timeout.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('a request without a response is rejected with a message', async () => {
  const [thrown] = await Promise.all([
    withRequestTimeout(new Promise(() => undefined)).catch((error: unknown) => error),
    vi.advanceTimersByTimeAsync(60_000),
  ])
  expect(thrown).toMatchObject({ message: tooSlowMessage, httpStatus: 0 })
})

test('a response in time is returned, and the timer is cleared', async () => {
  await expect(withRequestTimeout(Promise.resolve('yes'))).resolves.toBe('yes')
  await expect(withRequestTimeout(Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(vi.getTimerCount()).toBe(0)
})
