import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** The error for addresses that do not exist. */
export function pageNotFound(cause?: unknown): AppError {
  return new AppError('not_found', msg`There is nothing at this address.`, { excType: 'PageDoesNotExistError', cause })
}
