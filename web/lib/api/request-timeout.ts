import { ApiError, tooSlowMessage } from './api-error.ts'

/** Request timeout (ms). Far longer than any call takes, so that no spinner runs forever. */
const timeoutMs = 60_000

/** Rejects if a call takes longer than 60 s. @throws ApiError on timeout; whether the call took effect is then unknown */
export async function withRequestTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new ApiError(tooSlowMessage)), timeoutMs)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
