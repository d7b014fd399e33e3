import { ApiError } from '../api/api-error.ts'

/**
 * Runs a call. If the user logged in again in another tab and this page's token is stale, retries once with the token of the
 * browser's current session. Throws what the call throws.
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
