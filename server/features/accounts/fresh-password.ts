import { hasFreshPassword } from '#server/documents/actions.ts'
import type { Session } from '#server/documents/types.ts'
import { AppError } from '#shared/errors.ts'

/** Refuses (403, field `password`) unless the password was checked in this browser session in the last ten minutes. */
export function needFreshPassword(session: Session): void {
  if (session.kind !== 'cookie') {
    throw new AppError('forbidden', 'Only a logged-in browser can do this.', { excType: 'PermissionError' })
  }
  if (hasFreshPassword(session)) return
  throw new AppError('forbidden', 'Confirm your password to go on.', {
    field: 'password',
    excType: 'PermissionError',
    nextAction: 'Enter your password again, then repeat this.',
  })
}
