import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'

/** The error for addresses that do not exist. */
export function pageNotFound(cause?: unknown): AppError {
  return new AppError('not_found', say`There is nothing at this address.`, { excType: 'PageDoesNotExistError', cause })
}
