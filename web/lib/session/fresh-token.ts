import { ApiError } from '../api/api-error.ts'

/**
 * Does a call, and once more with the token of the session the browser has now when the person logged in again elsewhere:
 * this page knows the token of the session before. Throws what the call throws.
 */
export async function withFreshToken<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.excType !== 'CSRFTokenError') throw thrown
    const { renewToken } = await import('../api/session-end.ts')
    if (!(await renewToken())) throw thrown
    return await send()
  }
}
