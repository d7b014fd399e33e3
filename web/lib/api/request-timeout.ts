import { ApiError, tooSlowMessage } from './api-error.ts'

/** How long an answer is waited for (ms): far beyond what any call takes, so that nothing turns for ever. */
const patienceMs = 60_000

/** Waits for a call, not for ever. @throws ApiError when no answer came in time; what becomes of the call nobody knows */
export async function withRequestTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new ApiError(tooSlowMessage)), patienceMs)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
