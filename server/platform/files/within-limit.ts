import { AppError } from '#shared/errors.ts'

/** Whether a hit is within its limit; false instead of the error `rate_limited`. */
export async function withinLimit(hit: Promise<void>): Promise<boolean> {
  try {
    await hit
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return false
    throw error
  }
}
